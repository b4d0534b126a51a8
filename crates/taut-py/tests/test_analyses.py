"""All analyses against closed forms."""

import numpy as np
import pytest
import taut

G = 9.81


def test_check(four_bar, pendulum):
    found = taut.check(pendulum)
    assert found.ok and found.freedoms == 2 and "2" in found.text
    assert taut.check(four_bar).redundant == 0


def test_assemble(four_bar):
    found = taut.assemble(four_bar)
    assert found.moved and found.iterations > 0
    after = taut.assemble(four_bar.at(found.state))
    assert not after.moved


def test_static():
    m = taut.Model(gravity=[0, -G, 0]).body("mass", type="planar", mass=2, inertia=1)
    m.marker("ground.up", {"at": [0, 0, 0], "orientation": {"rotations": [["z", "90 deg"]]}})
    m.joint("guide", type="slider", a="ground.up", b="mass")
    m.force("spring", type="formula", coordinate="mass.y", force="-100*s")
    found = taut.static(m)
    assert abs(found.path["mass.y"][-1] + 2 * G / 100) < 1e-9
    assert found.stability == "stable" and abs(found.stiffness - 100) < 1e-6
    assert abs(m.at(found.state).initial_state.q[1] + 2 * G / 100) < 1e-9


def test_modes_and_linear_systems():
    m = taut.Model(gravity=[0, -G, 0]).body("bob", type="point_mass", mass=1, position=[0, -2, 0])
    m.joint("rod", type="rod", a="ground", b="bob", length=2)
    found = taut.modes(m)
    assert len(found) == 2 and np.allclose(np.abs(found.eigenvalues), np.sqrt(G / 2))
    assert np.allclose(found.frequencies, np.sqrt(G / 2) / (2 * np.pi)) and found.kinds == ["vibration"] * 2
    assert found.shapes.shape == (2, 3) and abs(found.shape(0, "bob")[1]) < 1e-9
    system = taut.linearize(m, ["bob.fx"], ["bob.x"])
    assert system.A.shape == (4, 4) and system.B.shape == (4, 1)
    poles = np.sort(np.linalg.eigvals(system.A).imag)
    assert np.allclose(np.abs(poles), np.sqrt(G / 2))
    second = taut.linearize(m, form="second_order")
    assert np.allclose(np.linalg.eigvals(np.linalg.solve(second.M, second.K)), G / 2)
    f = np.array([0.1, 1.0])
    answer = taut.response(m, "bob.fx", ["bob.x"], f)
    assert np.allclose(answer.values[:, 0], 1 / (G / 2 - (2 * np.pi * f) ** 2))
    control = pytest.importorskip("control")
    assert isinstance(system.to_control(), control.StateSpace)


def test_campbell():
    m = taut.Model().params(k=1).body("mass", type="point_mass", mass=1)
    for axis in "xyz":
        m.force(f"s{axis}", type="formula", coordinate=f"mass.{axis}", force="-k*s")
    found = taut.campbell(m, "k", [1.0, 4.0, 9.0], number=3)
    assert found.frequencies.shape == (3, 3)
    assert np.allclose(found.frequencies, np.array([1, 2, 3]) / (2 * np.pi))


def test_kinematics_and_inverse(four_bar):
    moved, run = taut.kinematics(four_bar, t=1, every=0.1), taut.simulate(four_bar, t=1, every=0.1)
    assert np.allclose(moved["rocker.theta"], run["rocker.theta"], atol=1e-8)
    assert np.allclose(moved["wrist.fx"], run["wrist.fx"], atol=1e-5)
    m = taut.Model(gravity=[0, -G, 0]).body("bar", type="planar", mass=2, inertia=0.5, markers={"end": [-1, 0]}, position=[1, 0])
    m.joint("pin", type="pin", a="ground", b="bar.end")
    found = taut.inverse(m)
    assert abs(found.joint_efforts[0]["effort"] - 2 * G) < 1e-9
    assert np.allclose(found.reactions["pin"][0], [0, 2 * G, 0])


def test_lab(pendulum):
    found = taut.lab(pendulum, t=0.2, formulations=["constraint_force", "null_space"], tolerances=[1e-6], jobs=1)
    assert {t["formulation"] for t in found.trials} >= {"constraint_force", "null_space"}
    assert all(t["outcome"] == "finished" for t in found.trials)
