#!/usr/bin/env python3
"""Joint accelerations of imported robots against Pinocchio (URDF) and MuJoCo (MJCF).

Robots come from PyPI packages and are not part of this repository; see README.md here. For each robot random joint
positions and velocities are given to the reference and to `examples/import_dynamics.rs`, which places every body,
solves the constrained equations of all of them, and reads the joint accelerations off the bodies' accelerations.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

SITE = Path(sys.prefix) / f"lib/python3.{sys.version_info[1]}/site-packages"
DATA = "cmeel.prefix/share/example-robot-data/robots"

# (package, file, base)
URDF = [
    ("example-robot-data", f"{DATA}/ur_description/urdf/ur5_robot.urdf", "fixed"),
    ("example-robot-data", f"{DATA}/panda_description/urdf/panda.urdf", "fixed"),
    ("example-robot-data", f"{DATA}/kinova_description/robots/kinova.urdf", "fixed"),
    ("example-robot-data", f"{DATA}/double_pendulum_description/urdf/double_pendulum.urdf", "fixed"),
    ("example-robot-data", f"{DATA}/anymal_b_simple_description/robots/anymal.urdf", "free"),
    ("example-robot-data", f"{DATA}/solo_description/robots/solo12.urdf", "free"),
    ("example-robot-data", f"{DATA}/talos_data/robots/talos_full_v2.urdf", "free"),
    ("example-robot-data", f"{DATA}/g1_description/urdf/g1_29dof_rev_1_0.urdf", "free"),
    ("example-robot-data", f"{DATA}/icub_description/robots/icub.urdf", "fixed"),
    ("example-robot-data", f"{DATA}/tiago_description/robots/tiago.urdf", "fixed"),
    ("example-robot-data", f"{DATA}/romeo_description/urdf/romeo.urdf", "free"),
    ("example-robot-data", f"{DATA}/baxter_description/urdf/baxter.urdf", "fixed"),
    ("example-robot-data", f"{DATA}/xarm_description/urdf/xarm7.urdf", "fixed"),
    ("example-robot-data", f"{DATA}/allegro_hand_description/urdf/allegro_right_hand.urdf", "fixed"),
    ("example-robot-data", f"{DATA}/so_arm_description/urdf/so101.urdf", "fixed"),
    ("example-robot-data", f"{DATA}/pr2_description/urdf/pr2.urdf", "fixed"),
    ("pybullet", "pybullet_data/kuka_iiwa/model.urdf", "fixed"),
    ("pybullet", "pybullet_data/a1/a1.urdf", "free"),
    ("pybullet", "pybullet_data/laikago/laikago_toes.urdf", "free"),
]

GYM = "gymnasium/envs/mujoco/assets"
MJCF = [
    *[("gymnasium", f"{GYM}/{n}.xml", "") for n in (
        "ant", "half_cheetah", "hopper", "humanoid", "humanoidstandup", "walker2d_v5", "swimmer", "reacher",
        "pusher_v5", "inverted_pendulum", "inverted_double_pendulum", "point")],
    *[("dm_control", f"dm_control/suite/{n}.xml", "") for n in (
        "acrobot", "cartpole", "cheetah", "finger", "fish", "hopper", "humanoid", "humanoid_CMU", "manipulator",
        "pendulum", "point_mass", "quadruped", "walker", "ball_in_cup", "stacker", "dog")],
    ("dm_control", "dm_control/mujoco/testing/assets/model_with_ball_joints.xml", ""),
]


def ask(binary, question):
    done = subprocess.run([binary], input=json.dumps(question), capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr.strip()[-300:]}
    return json.loads(done.stdout)


def plain(name):
    """The name an element has in Taut."""
    name = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in name)
    return "_" + name if name[:1].isdigit() else name


def unit_quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def difference(found, reference):
    found, reference = np.array(found), np.array(reference)
    if reference.size == 0:
        return 0.0
    return np.max(np.abs(found - reference)) / max(np.max(np.abs(reference)), 1e-3)


class Urdf:
    """A robot in Pinocchio: mimic joints eliminated, dampers as torques."""

    def __init__(self, path, base):
        import pinocchio as pin
        self.pin = pin
        free = (pin.JointModelFreeFlyer(),) if base == "free" else ()
        self.model = pin.buildModelFromUrdf(str(path), *free)
        self.data = self.model.createData()
        self.mimic = {}
        import xml.etree.ElementTree as ET
        self.damping = {}
        for j in ET.parse(path).getroot().findall("joint"):
            m, d = j.find("mimic"), j.find("dynamics")
            if m is not None and j.get("type") in ("revolute", "continuous", "prismatic"):
                self.mimic[j.get("name")] = (m.get("joint"), float(m.get("multiplier", 1)), float(m.get("offset", 0)))
            if d is not None:
                self.damping[j.get("name")] = float(d.get("damping", 0))

    def state(self, rng):
        pin, model = self.pin, self.model
        value, rate, named = {}, {}, {}
        names = list(model.names)[1:]
        for name in names:
            value[name], rate[name] = rng.uniform(-1, 1), rng.uniform(-1, 1)
        for _ in range(4):
            for name, (of, k, c) in self.mimic.items():
                if name in value and of in value:
                    value[name], rate[name] = k * value[of] + c, k * rate[of]
        q, v = pin.neutral(model), np.zeros(model.nv)
        for name in names:
            joint = model.joints[model.getJointId(name)]
            if joint.nv == 1:
                s = value[name]
                q[joint.idx_q:joint.idx_q + joint.nq] = [s] if joint.nq == 1 else [np.cos(s), np.sin(s)]
                v[joint.idx_v] = rate[name]
                named[plain(name)] = {"q": [s], "v": [rate[name]]}
            elif joint.nv == 6:
                p, w, u, o = rng.normal(size=3), unit_quaternion(rng), rng.normal(size=3), rng.normal(size=3)
                R = pin.Quaternion(np.array([*w[1:], w[0]])).matrix()
                q[joint.idx_q:joint.idx_q + 7] = [*p, *w[1:], w[0]]
                v[joint.idx_v:joint.idx_v + 6] = [*(R.T @ u), *o]
                self.R, self.o, self.u = R, o, u
                name = "floating_base" if name == "root_joint" else plain(name)
                named[name] = {"q": [*p, *w], "v": [*u, *o]}
            else:
                raise ValueError(f"joint {name}")
        return q, v, named

    def accelerations(self, q, v):
        pin, model, data = self.pin, self.model, self.data
        tau = np.zeros(model.nv)
        index = {n: model.joints[model.getJointId(n)].idx_v for n in list(model.names)[1:]}
        for name, d in self.damping.items():
            if name in index and model.joints[model.getJointId(name)].nv == 1:
                tau[index[name]] -= d * v[index[name]]
        if not self.mimic:
            a = pin.aba(model, data, q, v, tau).copy()
        else:
            # v = G v_free: the relations are linear, so that their accelerations are too.
            G = np.eye(model.nv)
            for _ in range(4):
                for name, (of, k, _c) in self.mimic.items():
                    if name in index and of in index:
                        G[index[name]] = k * G[index[of]]
            keep = [i for n, i in index.items() for i in range(i, i + model.joints[model.getJointId(n)].nv)
                    if n not in self.mimic]
            G = G[:, keep]
            M = pin.crba(model, data, q).copy()
            M = np.triu(M) + np.triu(M, 1).T
            h = pin.rnea(model, data, q, v, np.zeros(model.nv))
            a = G @ np.linalg.solve(G.T @ M @ G, G.T @ (tau - h))
        named = {}
        for name in list(model.names)[1:]:
            joint = model.joints[model.getJointId(name)]
            own = a[joint.idx_v:joint.idx_v + joint.nv]
            if joint.nv == 6:
                linear = self.R @ (own[:3] + np.cross(self.o, self.R.T @ self.u))
                own = [*linear, *own[3:]]
                name = "floating_base" if name == "root_joint" else name
            named[plain(name)] = list(own)
        return named

    def joints(self):
        return self.model.njoints - 1


class Mjcf:
    """A robot in MuJoCo: without what the import lists as not carried; equalities held exactly."""

    def __init__(self, path, listed):
        import mujoco
        self.mj = mujoco
        self.model = m = mujoco.MjModel.from_xml_path(str(path))
        flag = mujoco.mjtDisableBit
        m.opt.disableflags |= flag.mjDSBL_CONTACT | flag.mjDSBL_LIMIT | flag.mjDSBL_FRICTIONLOSS
        notes = " ".join(e for e, _ in listed)
        self.off = []
        if "option density" in notes or "option viscosity" in notes or "option wind" in notes:
            m.opt.density, m.opt.viscosity, m.opt.wind[:] = 0, 0, 0
            self.off.append("fluid")
        for what, names in (("tendon", m.ntendon), ("joint", m.njnt), ("actuator", m.nu)):
            for i in range(names):
                name = mujoco.mj_id2name(m, {"tendon": mujoco.mjtObj.mjOBJ_TENDON, "joint": mujoco.mjtObj.mjOBJ_JOINT,
                                             "actuator": mujoco.mjtObj.mjOBJ_ACTUATOR}[what], i) or what
                for element, text in listed:
                    if element != f"{what} `{name}`":
                        continue
                    if what == "tendon":
                        m.tendon_stiffness[i] = m.tendon_damping[i] = 0
                    elif what == "actuator":
                        m.actuator_gainprm[i] = m.actuator_biasprm[i] = 0
                    elif "ARMATURE" in text or "damping" in text or "stiffness" in text:
                        a, n = m.jnt_dofadr[i], {0: 6, 1: 3, 2: 1, 3: 1}[m.jnt_type[i]]
                        if "ARMATURE" in text:
                            m.dof_armature[a:a + n] = 0
                        if "damping" in text:
                            m.dof_damping[a:a + n] = 0
                        if "stiffness" in text:
                            m.jnt_stiffness[i] = 0
                    self.off.append(f"{name}: {text.split(':')[0]}")
        for element, text in listed:
            if element.startswith("actuators "):
                names = [n.strip() for n in text.split(":", 1)[-1].split(",")]
                for i in range(m.nu):
                    name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_ACTUATOR, i)
                    if name in names or name is None:
                        m.actuator_gainprm[i] = m.actuator_biasprm[i] = 0
                self.off.append(element)
        self.soft = m.neq > 0 and any(m.eq_active0)
        # The rate of J is known without differences only for couplings of joints; others are compared at rest.
        kinds = {m.eq_type[i] for i in range(m.neq) if m.eq_active0[i]}
        self.rest = bool(kinds - {mujoco.mjtEq.mjEQ_JOINT})
        m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        self.data = mujoco.MjData(m)

    def joint_names(self):
        m, mj = self.model, self.mj
        names, counts = [], {}
        for i in range(m.njnt):
            name = mj.mj_id2name(m, mj.mjtObj.mjOBJ_JOINT, i)
            if name is None:
                body = mj.mj_id2name(m, mj.mjtObj.mjOBJ_BODY, m.jnt_bodyid[i]) or f"body{m.jnt_bodyid[i]}"
                name = plain(body) + "_joint"
            name = plain(name)
            counts[name] = counts.get(name, 0) + 1
            names.append(name if counts[name] == 1 else f"{name}_{counts[name]}")
        return names

    def state(self, rng):
        m = self.model
        q, v, named = m.qpos0.copy(), np.zeros(m.nv), {}
        for i, name in enumerate(self.joint_names()):
            a, d, kind = m.jnt_qposadr[i], m.jnt_dofadr[i], m.jnt_type[i]
            nq, nv = {0: (7, 6), 1: (4, 3), 2: (1, 1), 3: (1, 1)}[kind]
            if not self.soft:
                if kind == 0:
                    q[a:a + 7] = [*rng.normal(size=3), *unit_quaternion(rng)]
                elif kind == 1:
                    q[a:a + 4] = unit_quaternion(rng)
                else:
                    q[a] += rng.uniform(-1, 1)
                v[d:d + nv] = rng.uniform(-1, 1, size=nv)
            named[name] = {"q": list(q[a:a + nq]), "v": list(v[d:d + nv])}
        return q, v, named

    def accelerations(self, q, v, controls=None):
        mj, m, d = self.mj, self.model, self.data
        mj.mj_resetData(m, d)
        if controls is not None:
            d.ctrl[:] = controls
        d.qpos[:], d.qvel[:] = q, v
        mj.mj_forward(m, d)
        a = d.qacc.copy()
        if self.soft:
            M = np.zeros((m.nv, m.nv))
            mj.mj_fullM(m, M, d.qM) if hasattr(d, "qM") else mj.mj_fullM(m, d, M)
            J = d.efc_J.reshape(-1, m.nv)
            f = d.qfrc_passive + d.qfrc_actuator - d.qfrc_bias
            K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
            a = np.linalg.lstsq(K, np.concatenate([f, np.zeros(len(J))]), rcond=1e-13)[0][:m.nv]
        named = {}
        for i, name in enumerate(self.joint_names()):
            n = {0: 6, 1: 3, 2: 1, 3: 1}[m.jnt_type[i]]
            named[name] = list(a[m.jnt_dofadr[i]:m.jnt_dofadr[i] + n])
        return named

    def joints(self):
        return self.model.njnt


def check(binary, package, file, base, states, rng, site):
    path = site / file
    label = f"{path.parent.name}/{path.stem}" if path.stem in ("model", "anymal") else path.stem
    if not path.exists():
        return label, None, "not installed"
    read = ask(binary, {"file": str(path), "base": base})
    if "error" in read:
        return label, None, read["error"].splitlines()[0]
    robot = Urdf(path, base) if path.suffix == ".urdf" else Mjcf(path, read["not_carried"])
    worst = 0.0
    for _ in range(states):
        q, v, named = robot.state(rng)
        reference = robot.accelerations(q, v)
        answer = ask(binary, {"file": str(path), "base": base, "states": [named]})
        if "error" in answer:
            return label, None, answer["error"].splitlines()[0]
        found = answer["states"][0]
        names = [n for n in reference if n in found]
        missing = [n for n in reference if n not in found]
        if missing:
            return label, None, f"joints missing: {missing[:4]}"
        worst = max(worst, difference(sum((found[n] for n in names), []), sum((reference[n] for n in names), [])))
    row = (label, package, read["bodies"], read["rotors"], robot.joints(), worst)
    return label, row, "; ".join(getattr(robot, "off", [])[:4])


def random_robots(chosen):
    import tempfile
    from random_models import Model
    off, refused, worst = 0, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(chosen.seed, chosen.seed + chosen.random):
            path = Path(folder) / f"random{seed}.xml"
            path.write_text(Model(seed).text())
            try:
                _, row, note = check(chosen.binary, "", path.name, "", chosen.states, np.random.default_rng(seed), Path(folder))
            except ValueError as error:
                print(f"seed {seed}: MuJoCo: {str(error).splitlines()[0]}")
                continue
            if row is None:
                refused += 1
                print(f"seed {seed}: {note}")
                continue
            worst = max(worst, row[-1])
            if not row[-1] < chosen.tolerance:
                off += 1
                print(f"seed {seed}: {row[-1]:.1e} ({note})")
    print(f"{chosen.random} robots, {refused} refused, {off} off, worst {worst:.1e}")
    return off


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--binary", default=os.environ.get("IMPORT_DYNAMICS", "target/debug/examples/import_dynamics"))
    arguments.add_argument("--site", type=Path, default=SITE, help="folder of the installed packages")
    arguments.add_argument("--states", type=int, default=3)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--random", type=int, default=0, help="this many random MJCF robots instead")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--tolerance", type=float, default=1e-9)
    chosen = arguments.parse_args()
    bad = 0
    if chosen.random:
        return random_robots(chosen)
    print("| robot | package | bodies | rotors | joints | largest relative difference |\n|---|---|---|---|---|---|")
    for package, file, base in URDF + MJCF:
        if chosen.only not in file:
            continue
        rng = np.random.default_rng(7)
        label, row, note = check(chosen.binary, package, file, base, chosen.states, rng, chosen.site)
        if row is None:
            print(f"| {label} | {package} | | | | {note} |", flush=True)
            continue
        label, package, bodies, rotors, joints, worst = row
        mark = "" if worst < chosen.tolerance else " **off**"
        bad += worst >= chosen.tolerance
        note = f" ({note})" if note else ""
        print(f"| {label}{note} | {package} | {bodies} | {rotors} | {joints} | {worst:.1e}{mark} |", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
