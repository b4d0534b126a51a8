"""A thousand spheres dropped into a box, in Taut and in engines made for contact, in one run.

usage: python bench/contact_peers.py [--step 2e-3] [--end 10] [--engines taut,rapier,mujoco,pybullet] [--taut BINARY]

The Python that runs it needs numpy, and mujoco and pybullet for their rows. Rapier is built from bench/rapier_contacts.
All have the same spheres, box, mass, friction, restitution (MuJoCo has none: its contacts are damped springs) and step.
CPU time is that of the steps alone. Penetration, energy and speeds are computed here from sampled states of all engines
but Taut, which gives those of every step.
"""
import argparse
import json
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


def taut(a):
    command = [a.taut] if a.taut else ["cargo", "bench", "--quiet", "-p", "taut", "--bench", "contacts", "--"]
    out = subprocess.run([*command, "peer", str(a.step)], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return json.loads(next(l for l in out.splitlines() if l.startswith("RESULT"))[7:])


def rapier(a):
    folder = ROOT / "bench" / "rapier_contacts"
    target = a.rapier_target or str(folder / "target")
    subprocess.run(["cargo", "build", "--release", "--quiet", "--target-dir", target], cwd=folder, check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as scene:
        scene.write(" ".join(map(repr, [RADIUS, MASS, 0.5 * WIDTH, MU, E, G])) + "\n")
        scene.writelines(" ".join(repr(float(c)) for c in x) + "\n" for x in centres())
        scene.flush()
        command = [f"{target}/release/rapier_contacts", scene.name, str(a.step), str(a.end), str(SAMPLE), "4"]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    record = Record()
    for line in out[:-1]:
        s = np.array(line.split()[2:], float).reshape(COUNT, 5)
        record.sample(s[:, :3], s[:, 3], s[:, 4])
    cpu, steps = out[-1].split()[1:]
    return record.result("rapier", float(cpu), int(steps))


def mujoco(a):
    import mujoco as mj
    walls = [("0 0 0", "0 0 1"), (f"{-WIDTH / 2} 0 0", "1 0 0"), (f"{WIDTH / 2} 0 0", "-1 0 0"),
             (f"0 {-WIDTH / 2} 0", "0 1 0"), (f"0 {WIDTH / 2} 0", "0 -1 0")]
    friction = f'friction="{MU} {TURNING * RADIUS} {TURNING * RADIUS}" condim="6"'
    planes = "".join(f'<geom type="plane" size="9 9 1" pos="{p}" zaxis="{n}" {friction}/>' for p, n in walls)
    balls = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="{RADIUS}" mass="{MASS}" {friction}/></body>'
                    for x, y, z in centres())
    option = f'<option timestep="{a.step}" gravity="0 0 {-G}" cone="elliptic"/><size memory="500M"/>'
    model = mj.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{planes}{balls}</worldbody></mujoco>")
    data = mj.MjData(model)
    def state():
        v = data.qvel.reshape(COUNT, 6)
        return data.qpos.reshape(COUNT, 7)[:, :3].copy(), (v[:, :3] ** 2).sum(1), (v[:, 3:] ** 2).sum(1)
    return drive(a, "mujoco", lambda: mj.mj_step(model, data), state)


def pybullet(a):
    import pybullet as pb
    pb.connect(pb.DIRECT)
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
    return drive(a, "pybullet", pb.stepSimulation, state)


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


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--step", type=float, default=2e-3)
    p.add_argument("--end", type=float, default=10.0)
    p.add_argument("--engines", default="taut,rapier,mujoco,pybullet")
    p.add_argument("--taut", help="the built benchmark `contacts`, instead of cargo")
    p.add_argument("--rapier-target", help="folder to build Rapier in")
    p.add_argument("--limit", type=float, default=300.0, help="CPU seconds after which a Python peer is stopped")
    a = p.parse_args()
    print(f"| engine | CPU s | ms/step | penetration/r | mean speed at the end m/s | largest m/s | energy gain | h = {a.step} s, {a.end} s |")
    print("|---|---|---|---|---|---|---|---|")
    for name in a.engines.split(","):
        try:
            r = {"taut": taut, "rapier": rapier, "mujoco": mujoco, "pybullet": pybullet}[name](a)
        except (ImportError, subprocess.CalledProcessError, StopIteration) as why:
            print(f"| {name} | not run: {why} |")
            continue
        rest = "at rest" if r["fastest"] < 1e-4 else "moving"
        print(f"| {r['peer']} | {r['cpu']:.1f} | {1e3 * r['cpu'] / r['steps']:.2f} | {r['penetration']:.1e} | {r['creep']:.1e} "
              f"| {r['fastest']:.1e} | {r['gain']:.1e} | {rest} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
