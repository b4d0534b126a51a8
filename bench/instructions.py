"""Counts the instructions of twelve problems and compares them with the counts in the repository.

usage: python3 bench/instructions.py [--program FILE] [--profile dev] [--only NAME,...] [--write REASON]

The counts come from `valgrind --tool=cachegrind`. They do not depend on the load of the machine, which times do. The program is the example
`counted` of taut-io; without --program, cargo builds it. The counts of a profile (dev: the build of the tests; release: the build of users)
are in bench/instructions.json, each with the reason of its last change. A count more than 5 % above its stored value is an error: make the
change cheaper, or store the new count with --write "the reason". A count more than 5 % below it is reported; store it too, so that later
changes are compared with it.

The check is skipped, with a line that says why, without valgrind, with another compiler than that of the stored counts, and on processors
without AVX2 and FMA, where other code runs.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORED = ROOT / "bench" / "instructions.json"
LIMIT = 0.05

# name: arguments of the example `counted`
PROBLEMS = {
    "chain of 60 rods, accelerations": ["evaluate", "models/chain.toml", "n=60"],
    "Bricard, accelerations": ["evaluate", "models/iftomm_a04_bricard.toml"],
    "double four-bar, 10 s": ["run", "models/iftomm_a02_double_four_bar.toml"],
    "Bricard, 10 s": ["run", "models/iftomm_a04_bricard.toml"],
    "squeezer": ["run", "models/iftomm_a03_squeezer.toml"],
    "delta robot": ["run", "models/delta_robot.toml"],
    "flying rod, beam elements": ["run", "models/beams/flying_rod.toml"],
    "hovering rotor, 0.1 s": ["run", "models/air/hovering_rotor.toml", "settings.duration=0.1"],
    "40 spheres, time stepping": ["run", "bench/models/spheres.toml"],
    "block drops, events": ["run", "models/contact/block_drops.toml"],
    "catenary, equilibrium": ["statics", "models/statics/catenary.toml"],
    "leaf spring, modes": ["modes", "models/beams/leaf_spring.toml"],
}


def compiler():
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def reason_to_skip(stored):
    """Why the counts cannot be compared here, if they cannot."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed"
    cpu = pathlib.Path("/proc/cpuinfo")
    flags = set(cpu.read_text().split()) if cpu.exists() else set()
    if not {"avx2", "fma"} <= flags:
        return "the processor has no AVX2 and FMA, or does not tell"
    if stored and stored["compiler"] != compiler():
        return f"the stored counts belong to {stored['compiler']}, this is {compiler()}"
    return None


def build(profile):
    """Builds the program and returns its path."""
    command = ["cargo", "build", "--workspace", "--example", "counted", "--profile", profile, "--message-format=json"]
    lines = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    messages = [json.loads(line) for line in lines]
    paths = [m["executable"] for m in messages if m.get("target", {}).get("name") == "counted" and m.get("executable")]
    return paths[-1]


def count(program, arguments):
    """Instructions of one problem, and the figure that it printed."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or not found:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stderr}")
    return int(found[1].replace(",", "")), done.stdout.strip()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", help="the built example `counted`")
    p.add_argument("--profile", default="dev", help="dev or release")
    p.add_argument("--only", help="names of problems, separated by commas")
    p.add_argument("--write", metavar="REASON", help="store the counts that differ by more than 0.1 %%, with this reason")
    a = p.parse_args()
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    why = reason_to_skip(None if a.write else stored)
    if why:
        print(f"instruction counts skipped: {why}")
        return 0
    names = [n for n in PROBLEMS if not a.only or any(part.strip() in n for part in a.only.split(","))]
    program = a.program or build(a.profile)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        counts = dict(zip(names, pool.map(lambda n: count(program, PROBLEMS[n]), names)))
    if a.write and stored.get("compiler") != compiler():
        stored = {"compiler": compiler()}
    before = stored.setdefault(a.profile, {})
    worse = []
    for name, (new, figure) in counts.items():
        old = before.get(name, {}).get("instructions")
        change = new / old - 1 if old else None
        shown = f"{100 * change:+.2f} %" if old else "new"
        print(f"{name:34} {new / 1e6:12.2f} million  {shown:>10}  result {figure}")
        if change is not None and change < -LIMIT and not a.write:
            print(f"  {name}: fewer instructions than stored; store the new count with --write")
        if change is None or change > LIMIT:
            worse.append(name)
        if a.write and (change is None or abs(change) > 1e-3):
            before[name] = {"instructions": new, "reason": a.write}
    if a.write:
        STORED.write_text(json.dumps(stored, indent=2, ensure_ascii=False) + "\n")
        return 0
    for name in worse:
        print(f"error: {name}: more than {100 * LIMIT:.0f} % above the stored count, or no count stored", file=sys.stderr)
    if worse:
        print("make the change cheaper, or store the counts: bench/instructions.py --write \"the reason\"", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
