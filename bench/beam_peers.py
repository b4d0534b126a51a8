"""Two flexible beams in the plane, in Taut and in Exudyn, in one run.

usage: python bench/beam_peers.py [--taut BINARY] [--problems rod5,rod10,spin] [--rounds 7] [--core 0] [--all] [--json FILE]

The Python that runs it needs numpy and exudyn. Taut is the released program, `cargo build --release -p taut-cli`.

rod5, rod10: a flexible rod thrown into free flight, to 5 s and to 10 s; both ends against a converged spectral beam.
spin: a beam brought to 6 rad/s about its clamped end in 15 s; deflection of the tip seen from the hub, at every second.
Both of Simo & Vu-Quoc, J. Appl. Mech. 53 (1986). The rod's reference is good to 1e-3 m at 5 s, the spin-up's to 1e-6 m.

Taut: finite volumes (two and three nodes) and variational elements, three nodes too; the steps of the spin-up also in moving
axes. Every engine walks a ladder of elements and of steps or tolerances. The error is in units of the tolerance: 0.015 m for
the ends of the rod; 2e-3 m for the lateral deflection and 0.5 % for the mean extension at 16, 17 … 20 s, whichever is
worse. Then those within the tolerance, and within a fifth of it, are run again in turns, and the cheapest are compared.

CPU time is that of one thread. Exudyn: process time around SolveDynamic. Taut: the least of `elapsed_s` of `taut run` and
`least_s` of `taut bench`, which are wall-clock times, and of the process times of `taut run` and, by run, of
`taut bench`: all are bounds from above. "whole" is the process time of `taut run` with reading and writing.

Exudyn gets what favours it: loads and the motion of the hub are its own symbolic functions or constants, no Python is
called during a solve; the rod is solved in two legs, with and without the load, as Taut's event does; the cheaper of
its dense and sparse solvers, of modified and full Newton iterations and of their tolerances; nothing written.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOADED, ROD_LIMIT, SPIN_LIMIT, STEADY_LIMIT, BENCH = 2.5, 0.015, 2e-3, 0.005, 5
ROD = dict(EA=1e4, GA=1e4, EI=500.0, m=1.0, J=10.0)
SPIN = dict(EA=2.8e7, GA=1e7, EI=1.4e4, m=1.2, J=6e-4)
# x, y of the loaded end, x, y of the free end
ENDS = {
    5: (5.620144923254981, 4.764327846649974, 15.408471027955136, 4.26444287460792),
    10: (25.40875421732239, 4.790084167396555, 15.624386786782976, 4.151288617787901),
}
# lateral deflection at 1, 2 … 20 s, and mean of the extension at 16, 17 … 20 s
U2 = (-0.02054353196651884, -0.10238063257476165, -0.21726735851215193, -0.3422786472763815, -0.468476183344652,
      -0.5435963972915372, -0.5713118093126911, -0.5428415340927422, -0.4602711068742854, -0.3628145016343847,
      -0.2573510139516938, -0.1509006942286368, -0.06921548706999564, -0.0202913249443168, 0.0013036142464621253,
      0.0030797474913750868, -0.0025335107506115075, -0.0020682893947646355, 0.0033594952966347516, 0.0007265573562746739)
U1 = np.mean((0.0005139214668575439, 0.000514138494481268, 0.00051387304030411, 0.0005135895753838327, 0.0005145324091551847))
A, W = 0.4, 2 * math.pi / 15  # the hub turns by A (t²/2 + (cos W t - 1)/W²) up to 15 s, and by 6 t - 45 after


def end_of(problem):
    return {"rod5": 5.0, "rod10": 10.0, "spin": 20.0}[problem]


def error(problem, rows):
    """In units of the tolerance. `rows`: of the rod, both ends at the end; of the spin-up, x, y of the tip at every second."""
    if problem != "spin":
        d = np.asarray(rows) - ENDS[round(end_of(problem))]
        return float(max(math.hypot(d[0], d[1]), math.hypot(d[2], d[3]))) / ROD_LIMIT
    t, (x, y) = np.arange(1.0, 21.0), np.asarray(rows).T
    psi = np.where(t < 15, A * (t * t / 2 + (np.cos(W * t) - 1) / W**2), 6 * t - 45)
    u1, u2 = np.cos(psi) * x + np.sin(psi) * y - 10, np.cos(psi) * y - np.sin(psi) * x
    return float(max(np.abs(u2 - U2).max() / SPIN_LIMIT, abs(u1[15:].mean() / U1 - 1) / STEADY_LIMIT))


# ------------------------------------------------------------------ Taut
def taut_model(problem, c):
    b, order = (ROD, "from = [6, 0]\nto = [0, 8]") if problem != "spin" else (SPIN, "from = [0, 0]\nto = [10, 0]")
    nodes = c["elements"] * (2 if c["nodes"] == 3 else 1)
    stiff = [b["EA"], b["GA"], b["GA"], b["EI"], b["EI"], b["EI"]]
    if problem == "spin":
        turn = f"if_pos(15 - t, {A}*(t^2/2 + (cos({W!r}*t) - 1)/{W!r}^2), 6*t - 45)"
        rest = f'[joints]\nhub = {{ type = "pin", a = "ground", b = "rod_0", rotation = {{ position = "{turn}" }} }}\n'
        only, times = ("x", "y"), list(range(1, 21))
        only = [f"rod_{nodes}.{k}" for k in only]
    else:
        # a number that the event changes: a function of t would have the value after the jump at the end of the step before it
        rest = ('[variables]\non = 1\n[forces]\npush = { type = "formula", coordinate = "rod_0.x", force = "8*on.value" }\n'
                'twist = { type = "formula", coordinate = "rod_0.theta", force = "-80*on.value" }\n'
                f'[events]\nover = {{ when = "t - {LOADED}", actions = {{ set = "on", to = "0" }} }}\n')
        only, times = [f"rod_{n}.{k}" for n in (0, nodes) for k in ("x", "y")], [end_of(problem)]
    pace = f'rtol = {c["tol"]!r}\natol = {c["tol"]!r}'
    if "h" in c:  # the tolerance is then that of the iteration alone
        pace += f'\nstep_control = "fixed"\nstep = {c["h"]!r}'
    rho = f'spectral_radius = {c["rho"]}\n' if "rho" in c else ""
    update = f'increment_axes = "{c["update"]}"\n' if "update" in c else ""
    return only, (f'taut = 2\n[beams.rod]\n{order}\nspace = "planar"\nelements = {c["elements"]}\n'
                  f'element_type = "{c["order"]}"\ninertia_model = "lumped"\n'
                  f'section = {{ shape = "general", stiffness = {stiff}, mass = {b["m"]}, inertia = [{2 * b["J"]}, {b["J"]}, {b["J"]}] }}\n'
                  f'{rest}[settings]\nduration = {end_of(problem)}\nmethod = "{c["method"]}"\non_stiffness = "ignore"\n{rho}{update}{pace}\n'
                  f'[outputs]\ntimes = {times}\ncolumns = ["state"]\nonly = {json.dumps(only)}\n')


def measured(command):
    """What it answers, and its process time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def taut(a, problem, c, again):
    with tempfile.TemporaryDirectory() as folder:
        only, text = taut_model(problem, c)
        model, out = pathlib.Path(folder) / "beam.toml", pathlib.Path(folder) / "run"
        model.write_text(text)
        done, whole = measured([a.taut, "run", str(model), "-o", str(out), "--json", "--wall-clock", str(a.limit)])
        if done.returncode:
            return dict(why=(done.stderr.strip().splitlines() or ["it said nothing"])[0])
        answer = json.loads(done.stdout)
        with open(out / "table.csv") as table:
            rows = [[float(r[k]) for k in only] for r in csv.DictReader(table)]
        if answer["outcome"] != "finished" or len(rows) != (20 if problem == "spin" else 1):
            return dict(why=answer["message"])
        cpu = min(whole, answer["elapsed_s"])
        if again:
            done, many = measured([a.taut, "bench", str(model), "-n", str(BENCH), "--json"])
            cpu = min(cpu, many / BENCH, json.loads(done.stdout)["least_s"])
        return dict(cpu=cpu, whole=whole, steps=answer["statistics"]["steps"], rows=rows)


# ------------------------------------------------------------------ Exudyn
def exudyn_model(problem, c):
    import exudyn as exu
    import exudyn.itemInterface as item
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    b, at, to = (ROD, (6, 0), (0, 8)) if problem != "spin" else (SPIN, (0, 0), (10, 0))
    n, per = c["elements"], c["nodes"] - 1
    angle = math.atan2(to[1] - at[1], to[0] - at[0])
    place = lambda k: [at[i] + (to[i] - at[i]) * k / (n * per) for i in (0, 1)]
    nodes = [mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[*place(k), angle])) for k in range(n * per + 1)]
    for e in range(n):
        ends = [nodes[e], nodes[e + 1]] if per == 1 else [nodes[2 * e], nodes[2 * e + 1], nodes[2 * e + 2]]
        mbs.AddObject(item.ObjectBeamGeometricallyExact2D(
            nodeNumbers=ends, length=10 / n, massPerLength=b["m"], crossSectionInertia=b["J"], bendingStiffness=b["EI"],
            axialStiffness=b["EA"], shearStiffness=b["GA"], includeReferenceRotations=False))
    loads, alive = [], None
    if problem == "spin":
        ground = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(item.NodePointGround()), coordinate=0))
        for k in range(3):
            root = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=k))
            held = mbs.AddObject(item.CoordinateConstraint(markerNumbers=[ground, root]))
        def turn(mbs, t, itemNumber, offset):
            s = exu.symbolic
            return s.IfThenElse(t < 15, A * (0.5 * t * t + (s.cos(W * t) - 1) / W**2), 6 * t - 45)
        import exudyn.advancedUtilities as advanced
        alive = advanced.CreateSymbolicUserFunction(mbs, turn, "offsetUserFunction", held)
        mbs.SetObjectParameter(held, "offsetUserFunction", alive)
    else:
        marker = mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=nodes[0]))
        loads = [mbs.AddLoad(item.LoadForceVector(markerNumber=marker, loadVector=[8, 0, 0])),
                 mbs.AddLoad(item.LoadTorqueVector(markerNumber=marker, loadVector=[0, 0, -80]))]
    of = [nodes[-1]] if problem == "spin" else [nodes[0], nodes[-1]]
    sensors = [mbs.AddSensor(item.SensorNode(nodeNumber=k, storeInternal=True, writeToFile=False,
                                             outputVariableType=exu.OutputVariableType.Position)) for k in of]
    mbs.Assemble()
    return exu, (system, alive), mbs, loads, sensors


def exudyn(a, problem, c, again):
    exu, alive, mbs, loads, sensors = exudyn_model(problem, c)
    s = exu.SimulationSettings()
    s.solution.file.write = False
    s.solution.sensors.writePeriod = 1.0
    s.solution.sensors.active = problem == "spin"
    s.parallel.numberOfThreads = 1
    s.linearSolver.solverType = getattr(exu.LinearSolverType, c.get("solver", "EXUdense"))
    s.linearSolver.reuseAnalyzedPattern = "Sparse" in c.get("solver", "")
    ti = s.timeIntegration
    ti.verboseMode = 0
    ti.newton.useModifiedNewton = c.get("modified", True)
    ti.newton.relativeTolerance = c.get("newton", 1e-8)
    ti.newton.absoluteTolerance = c.get("residual", 1e-10)
    ti.generalizedAlpha.spectralRadius = c.get("rho", 0.9)
    ti.automaticStepSize = ti.adaptiveStep = False
    cpu, steps, begin = 0.0, 0, 0.0
    exu.config.suppressWarnings, exu.config.printToConsole = True, False
    for end in (end_of(problem),) if problem == "spin" else (LOADED, end_of(problem)):
        ti.startTime, ti.endTime = begin, end
        ti.numberOfSteps = max(1, round((end - begin) / c.get("h", 0.01)))
        clock = time.process_time()
        try:
            done = mbs.SolveDynamic(s, updateInitialValues=True)
        except RuntimeError:
            done = False
        cpu += time.process_time() - clock
        if not done:
            return dict(why="its Newton iteration does not converge")
        steps += mbs.sys["dynamicSolver"].it.currentStepIndex - 1
        begin = end
        for load in loads:
            mbs.SetLoadParameter(load, "loadVector", [0, 0, 0])
    if problem == "spin":
        data = mbs.GetSensorStoredData(sensors[0])
        rows = [data[np.argmin(np.abs(data[:, 0] - t)), 1:3] for t in range(1, 21)]
    else:
        rows = [float(x) for k in sensors for x in mbs.GetSensorValues(k)[:2]]
    return dict(cpu=cpu, steps=steps, rows=rows)


# ------------------------------------------------------------------ ladders
STEP = dict(rod5=[2.5 / n for n in (25, 30, 36, 40, 43, 50, 60, 71, 100, 142)], rod10=[2.5 / n for n in (36, 39, 43, 46, 50, 55, 60, 65, 71, 78, 85, 92, 100, 120, 142, 170, 200, 240, 283)],
            spin=[1 / n for n in (10, 20, 30, 40, 60, 80, 100, 140, 200)])
# finite volumes with their mass in the nodes need more elements than those whose waves are of order 4
MESH = dict(
    taut=dict(rod5=(("two_node", 28), ("two_node", 40), ("three_node", 7), ("three_node", 10), ("three_node", 14), ("variational", 4),
                    ("variational", 5), ("variational", 6), ("variational", 7), ("variational", 10)),
              rod10=(("three_node", 14), ("three_node", 20), ("variational", 4), ("variational", 5), ("variational", 6), ("variational", 7), ("variational", 8),
                     ("variational", 10), ("variational", 12), ("variational", 14)),
              spin=(("two_node", 14), ("three_node", 6), ("variational", 2), ("variational", 3), ("variational", 4))),
    exudyn=dict(rod5=((2, 14), (2, 20), (2, 28), (3, 4), (3, 5), (3, 7), (3, 10), (3, 14)),
                rod10=((2, 28), (2, 40), (3, 4), (3, 5), (3, 6), (3, 7), (3, 8), (3, 10), (3, 12), (3, 14), (3, 20)),
                spin=((2, 7), (2, 10), (3, 2), (3, 3), (3, 4))))
SAME = dict(rod5=((2, 20, 0.05), (2, 20, 0.025), (2, 40, 0.025), (3, 5, 0.05), (3, 10, 0.025), (3, 20, 0.025), (2, 160, 0.025)),
            rod10=((2, 40, 0.0125), (3, 10, 0.0125), (3, 20, 0.0125)),
            spin=((2, 10, 0.0125), (2, 20, 0.005), (3, 3, 0.01), (3, 5, 0.01), (3, 5, 0.005), (3, 40, 0.005)))
NODES = lambda c: c["elements"] * (c["nodes"] - 1) + 1


def taut_cases(problem):
    for order, elements in MESH["taut"][problem]:
        base = dict(engine="taut", order=order, nodes=2 if order == "two_node" else 3, elements=elements)
        for update in ({}, dict(update="body")) if problem == "spin" else ({},):
            for h in STEP[problem]:
                for tol in (1e-4,) if problem == "spin" else (3e-3, 2e-3, 1e-3):
                    yield dict(base, method="generalised_alpha", tol=tol, h=h, rho=0.9, **update)
            for tol in (1e-3, 1e-4, 1e-5) if problem == "spin" else (1e-2, 1e-3, 1e-4):
                yield dict(base, method="generalised_alpha", tol=tol, **update)
        if problem != "spin":  # radau5 is held back by its iteration in a fast turn, dop853 by stability
            for tol in (1e-2, 1e-3, 1e-4):
                yield dict(base, method="radau5", tol=tol)
            yield dict(base, method="dop853", tol=1e-3)


def exudyn_cases(problem):
    for nodes, elements in MESH["exudyn"][problem]:
        solvers = ("EigenSparse",) if elements * nodes > 18 else ("EXUdense",)  # about there the sparse one is the cheaper
        for solver in solvers:
            base = dict(engine="exudyn", nodes=nodes, elements=elements, solver=solver)
            for h in STEP[problem]:
                if problem == "spin":  # with the residual left at 1e-10 N no step converges
                    for modified in (True, False):
                        for newton in (1e-8, 1e-4):
                            yield dict(base, h=h, newton=newton, residual=1e-3, modified=modified, rho=0.9)
                else:
                    for newton in (1e-6, 1e-4, 1e-3):
                        yield dict(base, h=h, newton=newton, rho=0.9)


def same_cases(problem):
    for nodes, elements, h in SAME[problem]:
        update = dict(update="body") if problem == "spin" else {}
        for tol in (1e-3, 1e-4):
            yield dict(engine="taut", order="variational" if nodes == 3 else "two_node", nodes=nodes, elements=elements,
                       method="generalised_alpha", tol=tol, h=h, rho=0.9, **update)
        solvers = ("EXUdense", "EigenSparse") if elements < 80 else ("EigenSparse",)
        for solver in solvers:
            for newton in (1e-8, 1e-4):
                for modified in (True, False) if problem == "spin" else (True,):
                    more = dict(residual=1e-3) if problem == "spin" else {}
                    yield dict(engine="exudyn", nodes=nodes, elements=elements, solver=solver, h=h, newton=newton, modified=modified, rho=0.9, **more)


def say(c):
    words = [f"{c['elements']} of {'three' if c['nodes'] == 3 else 'two'} nodes"]
    if c["engine"] == "taut":
        words += [c["order"], c["method"]] + ([c["update"]] if "update" in c else []) + ([f"h {c['h']:.4g}, iteration {c['tol']:g}"] if "h" in c else [f"tolerance {c['tol']:g}"])
    else:
        words += [f"h {c['h']:.4g}", f"Newton {c['newton']:g}" + ("" if c.get("modified", True) else " full"), c["solver"]]
    return ", ".join(words)


class Runs:
    """Every case with the least of its times."""

    def __init__(self, a, problem):
        self.a, self.problem, self.found, self.failed = a, problem, {}, {}

    def run(self, c, again=False):
        key = json.dumps(c, sort_keys=True)
        if key in self.failed:
            return
        r = (taut if c["engine"] == "taut" else exudyn)(self.a, self.problem, c, again)
        if "why" in r or not np.isfinite(r["rows"]).all():
            self.failed[key] = (c, r.get("why", "no numbers"))
            return
        rows = r["rows"] if self.problem == "spin" else np.ravel(r["rows"])
        old = self.found.get(key)
        r = dict(c=c, cpu=r["cpu"], whole=r.get("whole"), steps=r["steps"], error=error(self.problem, rows), runs=1)
        if old:
            r.update(cpu=min(r["cpu"], old["cpu"]), whole=r["whole"] and min(r["whole"], old["whole"]), runs=old["runs"] + 1)
        self.found[key] = r
        if self.a.all:
            print(row(r), file=sys.stderr, flush=True)

    def counting(self, engine, limit):
        """Those within the limit whose finer neighbours are within it too: the others are so by chance."""
        pace = lambda c: c.get("h", c.get("tol"))
        ladder = lambda c: json.dumps({k: v for k, v in c.items() if k != ("h" if "h" in c else "tol")}, sort_keys=True)
        rungs = {}
        for r in self.found.values():
            if r["c"]["engine"] == engine:
                rungs.setdefault(ladder(r["c"]), []).append(r)
        good = []
        for rung in rungs.values():
            for r in sorted(rung, key=lambda r: pace(r["c"])):
                if not r["error"] <= limit:
                    break
                good.append(r)
        return sorted(good, key=lambda r: r["cpu"])


def row(r):
    whole = f"{1e3 * r['whole']:.1f}" if r["whole"] else ""
    return f"{r['c']['engine']} | {say(r['c'])} | {NODES(r['c'])} | {r['steps']} | {r['error']:.3f} | {1e3 * r['cpu']:.2f} | {whole} | {1e6 * r['cpu'] / max(1, r['steps']):.1f}"


HEAD = "| {} | engine | case | nodes | steps | error / tolerance | CPU ms | whole ms | us per step |\n|---|---|---|---:|---:|---:|---:|---:|---:|"


def compare(a, problem):
    runs = Runs(a, problem)
    cases = [*exudyn_cases(problem), *taut_cases(problem)]
    for c in cases:
        runs.run(c)
    limits = (("the tolerance", 1.0), ("a fifth of it", 0.2))
    for _ in range(a.rounds):
        chosen = [runs.counting(e, limit)[:a.finalists] for _, limit in limits for e in ("taut", "exudyn")]
        chosen = {json.dumps(r["c"], sort_keys=True): r["c"] for rs in chosen for r in rs}
        for c in chosen.values():
            runs.run(c, again=True)
    print(f"\n## {problem}: equal accuracy\n\n" + HEAD.format("within"))
    ratios, least_times = [], {}
    for name, limit in limits:
        best = {e: runs.counting(e, limit) for e in ("taut", "exudyn")}
        for e in best:
            print(f"| {name} | {row(best[e][0])} |" if best[e] else f"| {name} | {e} | none |")
        for method in ("generalised_alpha", "radau5", "dop853"):
            for fixed in (True, False):
                some = [r for r in best["taut"] if r["c"]["method"] == method and ("h" in r["c"]) == fixed]
                if some and some[0] is not best["taut"][0]:
                    print(f"| {name} | {row(some[0])} |")
        if all(best.values()):
            ours, theirs = (1e3 * best[e][0]["cpu"] for e in ("taut", "exudyn"))
            least_times[str(limit)] = [ours, theirs, theirs / ours]
            ratios.append(f"{name}: Exudyn / Taut {best['exudyn'][0]['cpu'] / best['taut'][0]['cpu']:.2f}")
    print("\n" + ("; ".join(ratios) or "no ratio") + " (above 1: Taut is faster)")
    same = Runs(a, problem)
    for _ in range(a.rounds):
        for c in same_cases(problem):
            same.run(c, again=True)
    print(f"\n## {problem}: equal elements and steps\n\n" + HEAD.format("ratio"))
    for nodes, elements, h in SAME[problem]:
        of = lambda e: [r for r in same.found.values() if r["c"]["engine"] == e and (r["c"]["nodes"], r["c"]["elements"], r["c"]["h"]) == (nodes, elements, h)]
        least = {e: min(of(e), key=lambda r: r["cpu"], default=None) for e in ("taut", "exudyn")}
        for e, r in least.items():
            ratio = f"{least['exudyn']['cpu'] / least['taut']['cpu']:.2f}" if e == "taut" and all(least.values()) else ""
            print(f"| {ratio} | {row(r)} |" if r else f"| | {e} | {elements} of {nodes} nodes, h {h}: not run |")
    print(f"\n{len(cases)} cases, {len(runs.failed)} failed:")
    for why, engine in sorted({(w, c["engine"]) for c, w in runs.failed.values()}):
        some = [c for c, w in runs.failed.values() if (w, c["engine"]) == (why, engine)]
        print(f"- {engine}, {len(some)} times, for example {say(some[0])}: {why}")
    sys.stdout.flush()
    return least_times


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--taut", default=str(ROOT / "target" / "release" / "taut"), help="the built program")
    p.add_argument("--problems", type=lambda s: s.split(","), default=["rod5", "rod10", "spin"])
    p.add_argument("--rounds", type=int, default=7, help="times that the finalists run in turns")
    p.add_argument("--finalists", type=int, default=12, help="of each engine and limit")
    p.add_argument("--core", type=int, default=-1, help="core to pin everything to; -1: do not pin")
    p.add_argument("--limit", type=float, default=30.0, help="seconds by the clock after which a run of Taut is given up")
    p.add_argument("--json", type=pathlib.Path, help="file for the least times of Taut and Exudyn within each limit, in ms, and their ratio")
    p.add_argument("--all", action="store_true", help="every run to the standard error")
    a = p.parse_args()
    if a.core >= 0 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {a.core})
    least_times = {problem: compare(a, problem) for problem in a.problems}
    if a.json:
        import importlib.metadata
        a.json.write_text(json.dumps({"exudyn": importlib.metadata.version("exudyn"), "problems": least_times}))


if __name__ == "__main__":
    sys.exit(main())
