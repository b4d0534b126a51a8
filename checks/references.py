#!/usr/bin/env python3
"""Stores the accelerations that Pinocchio and MuJoCo give for the robots in crates/taut-io/tests/files.

Run once, from the root of the repository, in the environment of README.md; the test suite needs neither package.
"""

import json
from pathlib import Path

import mujoco
import numpy as np
import pinocchio

from imports import Mjcf, Urdf

FILES = Path("crates/taut-io/tests/files")


def plain(x):
    return {k: [float(v) for v in a] for k, a in x.items()}


def store(name, made_by, cases):
    text = {"made_by": f"checks/references.py: {made_by}", "cases": cases}
    (FILES / name).write_text(json.dumps(text, indent=1) + "\n")


def described(states):
    return {k: plain(s) for k, s in states.items()}


def random_cases(robot, seed, count):
    rng = np.random.default_rng(seed)
    cases = []
    for _ in range(count):
        q, v, states = robot.state(rng)
        cases.append({"start": described(states), "accelerations": plain(robot.accelerations(q, v))})
    return cases


def main():
    pin = f"Pinocchio {pinocchio.__version__}: aba; mimic joints eliminated from crba and rnea; dampers as torques"
    for name, base in (("gantry_arm", "fixed"), ("hopper", "free")):
        store(f"{name}.json", pin, random_cases(Urdf(FILES / f"{name}.urdf", base), 3, 3))
    mj = f"MuJoCo {mujoco.__version__}: mj_forward, contacts, limits and friction off"
    robot = Mjcf(FILES / "menagerie.xml", [])
    store("menagerie.json", mj, random_cases(robot, 5, 3))
    m = robot.model
    accelerations = robot.accelerations(m.key_qpos[1], m.key_qvel[1], m.key_ctrl[1])
    store("menagerie_home.json", mj + "; key `home`", [{"accelerations": plain(accelerations)}])
    robot = Mjcf(FILES / "linkage.xml", [])
    store("linkage.json", mj + "; equalities held exactly: M, J and forces of MuJoCo, at rest", random_cases(robot, 5, 1))


if __name__ == "__main__":
    main()
