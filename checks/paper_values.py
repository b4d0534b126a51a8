#!/usr/bin/env python3
"""Computes the reference values of the papers anew and compares them with models/papers/reference.json.

    python3 checks/paper_values.py              all of them, some minutes
    python3 checks/paper_values.py --quick      without the long runs, some seconds
    python3 checks/paper_values.py --only newhart
    python3 checks/paper_values.py --write      stores the values that differ; the sources stay

The programs in checks/papers are written from the equations of the papers. They share nothing with Taut: no code, no results, no model
files. They need NumPy, SciPy and mpmath. The exit code is 1 if a stored value differs, or is computed by no program.
"""
import argparse
import json
import os
import pathlib
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small

from papers import fumagalli, kamaraj, masarati_pendulum, masarati_pitch, masarati_swing, mitiguy, newhart  # noqa: E402

STORE = pathlib.Path(__file__).resolve().parent.parent / "models/papers/reference.json"
PROGRAMS = {
    "masarati-2010": (masarati_pendulum, masarati_pitch, masarati_swing),
    "fumagalli-masarati-2009": (fumagalli,),
    "newhart-2019": (newhart,),
    "kamaraj-2021": (kamaraj,),
    "mitiguy-banerjee-2000": (mitiguy,),
}
# How far two computations of a value may differ, relative to it: by the ends of its path. Round-off has only a size.
ROUND_OFF = ("_err", "max_rel_diff/full", "max_rel_diff/redundant", "max_rel_diff/inconsistent", "omega_error")
COARSE = {
    "tight/braun_goldfarb_per_step/energy_change": 0.5,  # 40,000 steps whose sizes round-off decides
    "tight/braun_goldfarb_per_step/place_error": 0.5,
    "same_control/1a": 0.3, "same_control/1b": 0.3,  # chaotic
    "chaotic/mean": 0.1, "chaotic/deviation": 1.0, **{f"chaotic/counts/{i}": 0.3 for i in range(6)},
    "augmented_lagrangian/1e15": 1.0,  # round-off
    "log10_ratio_1e9_1e8": 0.9,
    "x_error/1e9": 2.0,
    "runs/plain/t_end": 0.01,  # a matter of round-off near the singular pose
    "runs/printed/t_end": 0.01,
    "runs/minimal/drift_J": 0.3,  # round-off has a share
}
TOLERANCE, SMALL = 1e-6, 1e-9


def apart(path, ours, stored):
    """Whether two values differ, with the reason."""
    if any(path.endswith(end) for end in ROUND_OFF) or "rates_only" in path and path.endswith(("phi", "phidot", "length_error", "velocity_error")) \
            or path.startswith("masarati") and "projection/" in path and path.endswith(("length_error", "velocity_error")):
        return not (ours < 1e-8 and stored < 1e-8)
    allowed = next((t for end, t in COARSE.items() if path.endswith(end)), TOLERANCE)
    return abs(ours - stored) > allowed * abs(stored) + 1e-13


def compare(path, ours, stored, found):
    """Fills `found` with differences; gives back what to store."""
    if isinstance(ours, dict):
        stored = stored if isinstance(stored, dict) else {}
        kept = {k: v for k, v in stored.items() if k in ("source", "control")}
        found += [f"{path}/{k}: no program computes it" for k in stored if k not in ours and k not in kept]
        return kept | {k: compare(f"{path}/{k}", v, stored.get(k), found) for k, v in ours.items()}
    if isinstance(ours, (list, tuple)):
        stored = stored if isinstance(stored, list) and len(stored) == len(ours) else [None] * len(ours)
        return [compare(f"{path}/{i}", a, b, found) for i, (a, b) in enumerate(zip(ours, stored))]
    ours = ours.item() if hasattr(ours, "item") else ours
    if stored is None:
        found.append(f"{path}: {ours!r} is not stored")
        return ours
    if apart(path, ours, stored):
        found.append(f"{path}: {ours!r}, stored {stored!r}")
        return ours
    return stored


def text(value, depth=0):
    """JSON with short dictionaries and lists on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict) or len(line) + 2 * depth <= 140:
        return line
    pad = "  " * (depth + 1)
    rows = [f"{pad}{json.dumps(k, ensure_ascii=False)}: {text(v, depth + 1)}" for k, v in value.items()]
    return "{\n" + ",\n".join(rows) + "\n" + "  " * depth + "}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave out long runs")
    parser.add_argument("--write", action="store_true", help="store values that differ")
    parser.add_argument("--only", default="", help="papers whose key contains this")
    options = parser.parse_args()
    store, found, count = json.loads(STORE.read_text()), [], 0
    for paper, programs in PROGRAMS.items():
        if options.only not in paper:
            continue
        computed = {}
        for program in programs:
            computed |= program.compute(quick=options.quick)
            print(f"{paper}: {program.__name__.split('.')[-1]}", file=sys.stderr)
        for example, values in computed.items():
            stored = store[paper].get(example, {})
            differences = []
            merged = compare(f"{paper}/{example}", values, stored, differences)
            if options.quick:
                differences = [d for d in differences if not d.endswith("no program computes it")]
            elif options.write:
                store[paper][example] = {"source": stored.get("source", program_source(programs))} | merged
            found, count = found + differences, count + 1
        if not options.quick:
            found += [f"{paper}/{example}: no program computes it" for example in store[paper] if example not in computed]
    print("\n".join(found))
    print(f"{count} examples computed, {len(found)} differences")
    if options.write:
        STORE.write_text(text(store) + "\n")
    return 1 if found and not options.write else 0


def program_source(programs):
    return f"checks/papers: {', '.join(p.__name__.split('.')[-1] for p in programs)}"


if __name__ == "__main__":
    sys.exit(main())
