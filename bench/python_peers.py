"""Problems P1 and P2 from Python, in the form that `bench/peers.py` reads.

usage: PYTHON bench/peers.py --peers PATH --python VENV_PYTHON --problems P1,P2 --engines exudyn,mujoco,pinocchio \\
           --ours "PYTHON bench/python_peers.py"

PYTHON has the package `taut`, the Python of the virtual environment has the other engines. Timed are calls of `taut.simulate` on a model that is
ready, with everything that a call does: the time includes the table and the audit.
"""

import json
import math
import sys
import time

import taut

REPEATS = 9
SAMPLE = 0.01


def four_bars(count):
    """Rods of 1 m and 1 kg: cranks from the ground, and couplers between their tips."""
    m = taut.Model(f"{count} four-bars", gravity=[0, -9.81, 0])
    rod = {"type": "planar", "mass": 1, "inertia": 1 / 12}
    for i in range(count + 1):
        # All cranks turn with -1 rad/s.
        m.body(f"k{i}", **rod, position=[i, 0.5], angle=math.pi / 2, velocity=[0.5, 0], angular_velocity=-1,
               markers={"foot": [-0.5, 0], "tip": [0.5, 0]})  # fmt: skip
        m.marker(f"ground.foot{i}", [i, 0, 0]).joint(f"foot{i}", type="pin", a=f"ground.foot{i}", b=f"k{i}.foot")
        if i:
            m.body(f"c{i}", **rod, position=[i - 0.5, 1], velocity=[1, 0], markers={"left": [-0.5, 0], "right": [0.5, 0]})
            m.joint(f"left{i}", type="pin", a=f"k{i - 1}.tip", b=f"c{i}.left").joint(f"right{i}", type="pin", a=f"c{i}.right", b=f"k{i}.tip")
    return m


def row(problem, case, model, end, tolerance):
    how = {"t": end, "rtol": tolerance, "atol": tolerance}
    bare = {**how, "dense": False, "every": end, "set": {"outputs.columns": ["state"]}}
    wall = cpu = math.inf
    for _ in range(REPEATS):
        begun, clock = time.perf_counter(), time.process_time()
        sol = taut.simulate(model, **bare)
        cpu, wall = min(cpu, time.process_time() - clock), min(wall, time.perf_counter() - begun)
    seen = taut.simulate(model, **how, every=SAMPLE)
    assert seen.success, seen.message
    tips = [[x, y, 0.0] for x, y in zip(seen["k0.tip.x"], seen["k0.tip.y"])]
    energy = (seen.energy.kinetic + seen.energy.potential).tolist()
    found = {"peer": "taut", "problem": problem, "case": case, "method": f"dop853 {tolerance:.0e}, Python", "wall": wall, "cpu": cpu,
             "steps": sol.stats.steps, "viol": float(seen.residuals.position.max()), "tips": tips, "energy": energy}  # fmt: skip
    print("RESULT " + json.dumps(found), flush=True)


def main():
    wanted = sys.argv[1:] or ["P1", "P2"]
    if "P1" in wanted:
        for tolerance in (2e-9, 5e-12):
            row("P1", "variable", four_bars(2), 10.0, tolerance)
    if "P2" in wanted:
        for count in (10, 40, 100):
            for tolerance in (2e-8, 2e-11):
                row("P2", f"N={count}", four_bars(count), 1.0, tolerance)


if __name__ == "__main__":
    main()
