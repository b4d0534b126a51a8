"""A thousand spheres dropped into a box, in Taut and in engines made for contact, in one run.

usage: python bench/contact_peers.py [--step 2e-3] [--end 10] [--engines taut,rapier,mujoco,pybullet] [--taut BINARY]
       python bench/contact_peers.py --ladder [--end 3] [--limit 60]

The first form runs every engine once, with its default accuracy and the same step. With --ladder, every engine runs with
several steps, numbers of iterations and contact stiffnesses; the second table has the cheapest run of each engine that
meets a limit on penetration and on the energy gained.

The Python that runs it needs numpy, and mujoco and pybullet for their rows. Rapier is built from bench/rapier_contacts.
All have the same spheres, box, mass, friction and restitution (MuJoCo has none: its contacts are damped springs). CPU
time is that of the steps alone. Penetration, energy and speeds are computed here, from states of all engines at the same
times.
"""
import argparse
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
RADIUS, MU, E, G, COUNT, TURNING = 0.05, 0.3, 0.1, 9.81, 1000, 1e-2
MASS = 4 / 3 * math.pi * 1000 * RADIUS**3
SIDE = math.ceil((COUNT / 2) ** (1 / 3) - 1e-12)
WIDTH = SIDE * 2.4 * RADIUS
SAMPLE = 0.05


def centres():
    """The same places as in crates/taut/benches/contacts.rs."""
    i = np.arange(COUNT)
    jitter = [0.15 * RADIUS * np.sin((3 * i + k) * 2.399_963) for k in range(3)]
    place = lambda k, n: (n + 0.5) * 2.4 * RADIUS - 0.5 * WIDTH + jitter[k]
    z = RADIUS * (1.5 + 2.4 * (i // (SIDE * SIDE))) + jitter[2]
    return np.stack([place(0, i % SIDE), place(1, i // SIDE % SIDE), z], axis=1)


class Record:
    """Largest penetration, energy gained, speeds at the end."""

    def __init__(self):
        self.deepest, self.least, self.gain, self.start = 0.0, math.inf, 0.0, None

    def sample(self, x, vv, ww):
        """Centres, squares of speeds and of rates of turning."""
        half = 0.5 * WIDTH
        gaps = [x[:, 2].min(), (x[:, 0] + half).min(), (half - x[:, 0]).min(), (x[:, 1] + half).min(), (half - x[:, 1]).min()]
        deepest = RADIUS - min(gaps)
        order = np.argsort(x[:, 2])
        s = x[order]
        for k in range(1, COUNT):  # sorted by height: only the next few can touch
            near = s[k:, 2] - s[:-k, 2] < 2 * RADIUS
            if not near.any():
                break
            d = np.linalg.norm(s[k:][near] - s[:-k][near], axis=1)
            deepest = max(deepest, 2 * RADIUS - d.min())
        energy = float((0.5 * MASS * vv + 0.2 * MASS * RADIUS**2 * ww + MASS * G * x[:, 2]).sum())
        self.start = energy if self.start is None else self.start
        self.gain = max(self.gain, energy - self.least)
        self.least = min(self.least, energy)
        self.deepest = max(self.deepest, deepest)
        self.speeds = np.sqrt(vv)

    def result(self, peer, cpu, steps):
        return dict(peer=peer, cpu=cpu, steps=steps, penetration=self.deepest / RADIUS, creep=float(self.speeds.mean()),
                    fastest=float(self.speeds.max()), gain=self.gain / self.start)


def read_samples(peer, a, command, folder=None):
    """The result of a program that prints lines `SAMPLE t x y z v² w² …` and `CPU seconds steps`."""
    out = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=20 * a.limit).stdout
    record = Record()
    for line in out.splitlines():
        if line.startswith("SAMPLE"):
            s = np.array(line.split()[2:], float).reshape(COUNT, 5)
            record.sample(s[:, :3], s[:, 3], s[:, 4])
        elif line.startswith("CPU"):
            cpu, steps = line.split()[1:]
    return record.result(peer, float(cpu), int(steps))


def taut(a, sweeps=0, penetration=0):
    command = [a.taut] if a.taut else ["cargo", "bench", "--quiet", "-p", "taut", "--bench", "contacts", "--"]
    numbers = [a.step, a.end, SAMPLE, sweeps, penetration]
    return read_samples("taut", a, [*command, "peer", *map(str, numbers)], ROOT)


def rapier(a, iterations=4, frequency=30.0, unit=1.0):
    folder = ROOT / "bench" / "rapier_contacts"
    target = a.rapier_target or str(folder / "target")
    subprocess.run(["cargo", "build", "--release", "--quiet", "--target-dir", target], cwd=folder, check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as scene:
        scene.write(" ".join(map(repr, [RADIUS, MASS, 0.5 * WIDTH, MU, E, G])) + "\n")
        scene.writelines(" ".join(repr(float(c)) for c in x) + "\n" for x in centres())
        scene.flush()
        numbers = [a.step, a.end, SAMPLE, iterations, frequency, unit]
        return read_samples("rapier", a, [f"{target}/release/rapier_contacts", scene.name, *map(str, numbers)])


def mujoco(a, iterations=100, stiffness=None):
    """`stiffness`: time constant of a contact in steps; MuJoCo's default is 20 ms."""
    import mujoco as mj
    walls = [("0 0 0", "0 0 1"), (f"{-WIDTH / 2} 0 0", "1 0 0"), (f"{WIDTH / 2} 0 0", "-1 0 0"),
             (f"0 {-WIDTH / 2} 0", "0 1 0"), (f"0 {WIDTH / 2} 0", "0 -1 0")]
    friction = f'friction="{MU} {TURNING * RADIUS} {TURNING * RADIUS}" condim="6"'
    friction += "" if stiffness is None else f' solref="{stiffness * a.step} 1"'
    planes = "".join(f'<geom type="plane" size="9 9 1" pos="{p}" zaxis="{n}" {friction}/>' for p, n in walls)
    balls = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="{RADIUS}" mass="{MASS}" {friction}/></body>'
                    for x, y, z in centres())
    option = f'<option timestep="{a.step}" gravity="0 0 {-G}" cone="elliptic" iterations="{iterations}"/><size memory="500M"/>'
    model = mj.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{planes}{balls}</worldbody></mujoco>")
    data = mj.MjData(model)
    def state():
        v = data.qvel.reshape(COUNT, 6)
        return data.qpos.reshape(COUNT, 7)[:, :3].copy(), (v[:, :3] ** 2).sum(1), (v[:, 3:] ** 2).sum(1)
    return drive(a, "mujoco", lambda: mj.mj_step(model, data), state)


def pybullet(a, iterations=50, erp=0.2):
    import pybullet as pb
    pb.connect(pb.DIRECT)
    pb.setPhysicsEngineParameter(numSolverIterations=iterations, contactERP=erp, numSubSteps=0)
    pb.setGravity(0, 0, -G)
    pb.setTimeStep(a.step)
    half = WIDTH / 2
    for at, n in [((0, 0, 0), (0, 0, 1)), ((-half, 0, 0), (1, 0, 0)), ((half, 0, 0), (-1, 0, 0)),
                  ((0, -half, 0), (0, 1, 0)), ((0, half, 0), (0, -1, 0))]:
        body = pb.createMultiBody(0, pb.createCollisionShape(pb.GEOM_PLANE, planeNormal=n), basePosition=at)
        pb.changeDynamics(body, -1, lateralFriction=1.0, restitution=1.0)
    shape = pb.createCollisionShape(pb.GEOM_SPHERE, radius=RADIUS)
    balls = [pb.createMultiBody(MASS, shape, basePosition=list(map(float, x))) for x in centres()]
    root = math.sqrt(MU)  # Bullet multiplies the coefficients of both surfaces
    for b in balls:
        pb.changeDynamics(b, -1, lateralFriction=root, restitution=math.sqrt(E), linearDamping=0, angularDamping=0)
    for plane in range(5):
        pb.changeDynamics(plane, -1, lateralFriction=root, restitution=math.sqrt(E))
    def state():
        x = np.array([pb.getBasePositionAndOrientation(b)[0] for b in balls])
        v = np.array([pb.getBaseVelocity(b) for b in balls])
        return x, (v[:, 0] ** 2).sum(1), (v[:, 1] ** 2).sum(1)
    found = drive(a, "pybullet", pb.stepSimulation, state)
    pb.disconnect()
    return found


def drive(a, peer, step, state):
    record, cpu, steps = Record(), 0.0, round(a.end / a.step)
    record.sample(*state())
    every = max(1, round(SAMPLE / a.step))
    for k in range(1, steps + 1):
        clock = time.process_time()
        step()
        cpu += time.process_time() - clock
        if k % every == 0 or k == steps:
            record.sample(*state())
        if cpu > a.limit:
            return record.result(f"{peer} (to t = {k * a.step:.2f} s)", cpu, k)
    return record.result(peer, cpu, steps)


ENGINES = {"taut": taut, "rapier": rapier, "mujoco": mujoco, "pybullet": pybullet}

# Step, and the settings of the engine.
LADDER = {
    "taut": [(h, dict(sweeps=n, penetration=p)) for h, n, p in [
        (10e-3, 4, 0.1), (10e-3, 8, 0.1), (5e-3, 4, 0.1), (5e-3, 8, 0.1), (5e-3, 8, 0.02), (5e-3, 15, 0.01), (2.5e-3, 4, 0.02), (2.5e-3, 8, 0.01),
        (2.5e-3, 15, 2e-3), (2.5e-3, 30, 1e-3), (5e-3, 15, 1e-3), (5e-3, 30, 1e-3), (2e-3, 0, 0)]],
    "rapier": [(h, dict(iterations=n, frequency=f, unit=u)) for h, n, f, u in [
        (10e-3, 4, 30, 1), (10e-3, 8, 60, 0.1), (5e-3, 2, 30, 1), (5e-3, 4, 30, 1), (5e-3, 4, 60, 0.1), (5e-3, 8, 120, 0.1), (2.5e-3, 2, 60, 0.1),
        (2.5e-3, 4, 120, 0.1), (2.5e-3, 8, 240, 0.1), (1e-3, 4, 240, 0.1), (1e-3, 8, 480, 0.1), (5e-4, 8, 1000, 0.1), (2.5e-4, 8, 2000, 0.1)]],
    "mujoco": [(h, dict(iterations=n, stiffness=k)) for h, n, k in [
        (5e-3, 5, 2), (5e-3, 20, 2), (2e-3, 5, 2), (2e-3, 20, 2), (1e-3, 10, 2), (5e-4, 10, 2)]],
    "pybullet": [(h, dict(iterations=n, erp=e)) for h, n, e in [
        (5e-3, 10, 0.2), (5e-3, 50, 0.2), (2.5e-3, 10, 0.2), (2.5e-3, 50, 0.2), (1e-3, 10, 0.2), (1e-3, 50, 0.2), (1e-3, 200, 0.2)]],
}
# Penetration over the radius, and energy gained over the energy at the start.
LIMITS = [(p, g) for p in (0.1, 1e-2, 1e-3) for g in (1e-3, 1e-5)]


def ladder(a, names):
    print("| engine | step | settings | CPU s | ms/step | penetration/r | energy gain | mean speed at the end m/s |\n|---|---|---|---|---|---|---|---|")
    runs = {name: [] for name in names}
    for rung in range(max(len(LADDER[name]) for name in names)):
        for name in names:  # engines take turns, so that the load of the machine is shared
            if rung >= len(LADDER[name]):
                continue
            a.step, settings = LADDER[name][rung]
            text = ", ".join(f"{k} {v}" for k, v in settings.items())
            try:
                r = ENGINES[name](a, **settings)
            except (ImportError, subprocess.SubprocessError, StopIteration) as why:
                print(f"| {name} | {a.step} | {text} | not run: {why} |", flush=True)
                continue
            print(f"| {r['peer']} | {a.step} | {text} | {r['cpu']:.2f} | {1e3 * r['cpu'] / r['steps']:.2f} | {r['penetration']:.1e} "
                  f"| {r['gain']:.1e} | {r['creep']:.1e} |", flush=True)
            if r["peer"] == name:  # not stopped by the limit
                runs[name].append((r, f"{a.step} s, {text}"))
    print(f"\nCheapest run, CPU s for {a.end} s\n\n| penetration/r at most | energy gain at most |", " | ".join(names), "|")
    print("|---|---|" + "---|" * len(names))
    for depth, gain in LIMITS:
        cells = []
        for name in names:
            good = [(r["cpu"], text) for r, text in runs[name] if r["penetration"] <= depth and r["gain"] <= gain]
            cells.append("{:.2f} ({})".format(*min(good)) if good else "none")
        print(f"| {depth} | {gain} |", " | ".join(cells), "|", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--step", type=float, default=2e-3)
    p.add_argument("--end", type=float, help="default: 10 s; with --ladder 3 s")
    p.add_argument("--engines", default="taut,rapier,mujoco,pybullet")
    p.add_argument("--ladder", action="store_true", help="several accuracies of every engine")
    p.add_argument("--taut", help="the built benchmark `contacts`, instead of cargo")
    p.add_argument("--rapier-target", help="folder to build Rapier in")
    p.add_argument("--limit", type=float, default=300.0, help="CPU seconds after which a Python peer is stopped")
    a = p.parse_args()
    a.end = a.end or (3.0 if a.ladder else 10.0)
    names = a.engines.split(",")
    if a.ladder:
        return ladder(a, names)
    print(f"| engine | CPU s | ms/step | penetration/r | mean speed at the end m/s | largest m/s | energy gain | h = {a.step} s, {a.end} s |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        try:
            r = ENGINES[name](a)
        except (ImportError, subprocess.SubprocessError, StopIteration) as why:
            print(f"| {name} | not run: {why} |")
            continue
        rest = "at rest" if r["fastest"] < 1e-4 else "moving"
        print(f"| {r['peer']} | {r['cpu']:.1f} | {1e3 * r['cpu'] / r['steps']:.2f} | {r['penetration']:.1e} | {r['creep']:.1e} "
              f"| {r['fastest']:.1e} | {r['gain']:.1e} | {rest} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
