"""What Python and sweeps cost above the bare run, in one interleaved run.

usage: PYTHON bench/python_cost.py --counted PROGRAM [--members 10000] [--repeats 200] [--rounds 5] [--model models/four_bar.toml]

PYTHON has the package `taut`; PROGRAM is the example `counted` of taut-io, built with the same profile:
`cargo build --release -p taut-io --example counted`. CPU time is that of the process, user and system. A cost per run or member is the
difference of two runs of different length, so that starting a program does not count. Every round measures all variants one after the other;
the table shows the minimum over the rounds and, for ratios, the range over the rounds. Only the two rows about workers and memory need a quiet
machine. Numba is used if it is installed.
"""

import argparse
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import taut

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPAN = 1.0  # s, the motion of one run


def spent(command):
    """CPU time, wall time and peak memory of a program."""
    begun = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, usage.ru_maxrss / 1024


def slope(command, count):
    """CPU time per run of a program that is told how often to run: `command(n)`."""
    few = max(1, count // 10)
    return (spent(command(count))[0] - spent(command(few))[0]) / (count - few)


def in_python(act, count):
    """CPU time of one call in this process."""
    act()
    begun = time.process_time()
    for _ in range(count):
        act()
    return (time.process_time() - begun) / count


class Sweeps:
    """Sweeps by the command, each in a new folder."""

    def __init__(self, model, folder):
        self.model, self.folder, self.count = model, pathlib.Path(folder), 0

    def command(self, members, jobs=1):
        self.count += 1
        return [sys.executable, "-m", "taut", "sweep", str(self.model), "--vary", f"rocker.mass=1 kg:2 kg:{members}", "--set",
                f"settings.end_time={SPAN}", "--keep", "max(sqrt(elbow.fx^2 + elbow.fy^2))", "--jobs", str(jobs), "-q", "-o",
                str(self.folder / f"{self.count}.sweep")]  # fmt: skip


def weight(t, markers):
    return (0.0, -1.0, 0.0)


def with_force(model, function):
    return model.copy().force("weight", function=function, markers="coupler")


def compiled():
    """The same force as a compiled function; none without Numba."""
    if importlib.util.find_spec("numba") is None:
        return None
    from numba import cfunc, types

    @cfunc(types.void(types.float64, types.CPointer(types.float64), types.CPointer(types.float64)))
    def weight(t, markers, wrench):
        wrench[1] = -1.0

    return weight


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--counted", type=pathlib.Path, required=True)
    ap.add_argument("--model", type=pathlib.Path, default=ROOT / "models" / "four_bar.toml")
    ap.add_argument("--members", type=int, default=10_000)
    ap.add_argument("--repeats", type=int, default=200, help="runs per measurement")
    ap.add_argument("--rounds", type=int, default=5)
    a = ap.parse_args()
    model = taut.load(a.model)
    how = {"t": SPAN, "dense": False}
    forced = with_force(model, weight)
    text = model.copy().force("weight", type="applied", marker="coupler", force=[0, -1, 0])
    fast = compiled()
    quick = with_force(model, fast.address) if fast else None
    evaluations = taut.simulate(forced, **how).stats.evaluations
    rows = {}
    note = lambda name, value: rows.setdefault(name, []).append(value)
    runs = lambda n: [str(a.counted), f"runs:{n}", str(a.model), f"settings.end_time={SPAN}"]
    with tempfile.TemporaryDirectory() as folder:
        sweeps = Sweeps(a.model, folder)
        for _ in range(a.rounds):
            note("bare run", slope(runs, a.repeats))
            note("simulate", in_python(lambda: taut.simulate(model, **how), a.repeats))
            note("simulate, dense output", in_python(lambda: taut.simulate(model, t=SPAN), a.repeats))
            note("force as text", in_python(lambda: taut.simulate(text, **how), a.repeats))
            note("force in Python", in_python(lambda: taut.simulate(forced, **how), a.repeats))
            if quick:
                note("force by Numba", in_python(lambda: taut.simulate(quick, **how), a.repeats))
            few, many = spent(sweeps.command(max(2, a.members // 10))), spent(sweeps.command(a.members))
            note("member of a sweep", (many[0] - few[0]) / (a.members - max(2, a.members // 10)))
            rows["memory"] = (few[2], many[2])
            one, two = spent(sweeps.command(a.members, 1))[1], spent(sweeps.command(a.members, 2))[1]
            note("one worker / two", one / two)
            shutil.rmtree(folder)
            os.mkdir(folder)
    shown(a, rows, evaluations)


def shown(a, rows, evaluations):
    ms = lambda name: 1e3 * min(rows[name])
    each = [y / x for x, y in zip(rows["bare run"], rows["simulate"])]
    print(f"{a.model.stem}, {SPAN:g} s, {evaluations} evaluations; CPU time, minimum of {a.rounds} rounds")
    for name in ("bare run", "simulate", "simulate, dense output", "member of a sweep"):
        print(f"  {name:28} {ms(name):9.3f} ms")
    print(f"  simulate / bare run          {ms('simulate') / ms('bare run'):9.2f}    ({min(each):.2f} to {max(each):.2f}; goal 1.1)")
    print(f"  overhead of a member         {ms('member of a sweep') - ms('bare run'):9.3f} ms (goal 0.2)")
    for name in ("force in Python", "force by Numba"):
        if name in rows:
            print(f"  {name:28} {1e3 * (ms(name) - ms('force as text')) / evaluations:9.3f} us per evaluation above the force as text")
    print(f"  two workers                  {max(rows['one worker / two']):9.2f} times as fast as one, by the wall clock (goal 1.85; {os.cpu_count()} cores)")
    few, many = rows["memory"]
    print(f"  memory                       {few:9.1f} MB with {max(2, a.members // 10)} members, {many:.1f} MB with {a.members}")


if __name__ == "__main__":
    main()
