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
    assert found.moved  # at least the velocities, which the driver prescribes
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


def test_branches_and_determinacy(models, four_bar):
    driven = taut.assemble(four_bar, branches=True)
    # A four-bar linkage with a given crank: the intersections of two circles.
    assert len(driven) == 2 and driven.completeness in ("proven", "found") and driven.given_closes
    angles = [b["elbow.angle"] for b in driven.coordinates]
    assert angles[0] * angles[1] < 0 and driven.signs[0] != driven.signs[1]
    moved = taut.assemble(four_bar.at(driven.states[1]))
    assert all(b["translation"] == b["rotation"] == 0 for b in moved.moved)
    with pytest.raises(TypeError, match="branches"):
        taut.assemble(four_bar, seed=3)

    # A beam between two pins: both can hold it along its axis.
    m = taut.Model(gravity=[0, -G, 0]).body("beam", type="planar", mass=3, inertia=1, markers={"a": [-1, 0], "b": [1, 0]})
    for name, x in (("a", -1), ("b", 1)):
        m.marker(f"ground.{name}", [x, 0, 0]).joint(name, type="pin", a=f"ground.{name}", b=f"beam.{name}")
    found = taut.check(m)
    assert found.redundant == 1 and found.unique("a") is False and found.changes
    sol = taut.simulate(m, t=0.1)
    assert sol.reactions["a"].unique is False and "unique" in sol.reactions["a"].determinacy
    assert sol.extremes()["reactions"][0]["determinacy"] == sol.reactions["a"].determinacy
    assert taut.check(four_bar).unique("elbow") is True
    assert taut.simulate(four_bar, t=0.1).reactions["elbow"].unique is True
    with pytest.raises(KeyError, match="elbow"):
        taut.check(four_bar).unique("nothing")


def test_periodic_motions_and_floquet(models):
    m = taut.load(models / "modes/mathieu_pendulum.toml")
    w, z, mass = 8.9, 0.02, 1.0
    found = taut.periodic(m, "2*pi/w", harmonics=["hinge.fy"], number=2)
    assert abs(found.period - 2 * np.pi / w) < 1e-12 and found.stability == "unstable"
    # At rest the hinge carries m (g - Z w² cos(w t)).
    force = found.harmonics["hinge.fy"]
    assert force.unit == "N" and abs(force.mean - mass * G) < 1e-8 and abs(force.cos[0] + mass * z * w**2) < 1e-8
    assert abs(force.amplitude[1]) < 1e-8
    assert np.allclose(found.motion["hinge.fy"], mass * (G - z * w**2 * np.cos(w * found.motion.t)))
    modes = taut.floquet(m, "2*pi/w", set={"w": "8.0 rad/s"})
    assert modes.stability == "neutral" and np.allclose(np.abs(modes.multipliers), 1, atol=1e-6)
    # Undamped: the product of all multipliers is 1 (Liouville).
    unstable = found.floquet.multipliers
    assert found.floquet.dimension == 2 and abs(np.prod(unstable) - 1) < 1e-6 and set(found.floquet.kinds) == {"half_locked"}
    with pytest.raises(TypeError, match="free_period"):
        taut.periodic(m)
    with pytest.raises(taut.TautError, match="hinge.fq"):
        taut.periodic(m, "2*pi/w", harmonics=["hinge.fq"])


def test_trim():
    m = taut.Model(gravity=[0, 0, 0]).params(f="1 N", k="40 N/m").body("mass", type="point_mass", mass=1)
    for axis in "xyz":
        m.force(f"s{axis}", type="formula", coordinate=f"mass.{axis}", force="-k*s - 0.5*rate")
    m.force("drive", type="formula", coordinate="mass.x", force="f*cos(3*t) + 2*f")
    found = taut.trim(m, {"f": (0.1, 1, 10)}, {"mass.x:amplitude1": 0.1}, period="2*pi/3", static=True)
    expected = 0.1 * abs(40 - 9 + 0.5j * 3)
    assert abs(found.parameters["f"] - expected) < 1e-6 * expected and found.derivatives.shape == (1, 1)
    still = taut.Model(gravity=[0, -G, 0]).params(m="1 kg").body("mass", type="point_mass", mass="m")
    for axis in "xyz":
        still.force(f"s{axis}", type="formula", coordinate=f"mass.{axis}", force="-40*s")
    found = taut.trim(still, {"m": (0.1, 1, 10)}, {"mass.y": -0.5})
    assert abs(found.parameters["m"] - 20 / G) < 1e-6
    for bad, words in [({"mass.y:mean": 1}, "period"), ({"mass.y:median": 1}, "statistics")]:
        with pytest.raises(taut.TautError, match=words):
            taut.trim(still, {"m": (0.1, 1, 10)}, bad)
    with pytest.raises(taut.TautError, match="lowest"):
        taut.trim(still, {"m": (1, 0.1, 10)}, {"mass.y": 1})


def test_trim_of_the_model_file(tmp_path):
    text = """taut = 2
[params]
m = 1
f = 1
w = 3
[bodies.mass]
type = "point_mass"
mass = "m"
[joints.guide]
type = "point_on_line"
a = "ground"
b = "mass"
[forces.s]
type = "formula"
coordinate = "mass.z"
force = "-40*s - 0.5*rate + f*cos(w*t)"
[trim]
period = "2*pi/w"
[[trim.vary]]
parameter = "f"
low = 0.1
first = 1
high = 10
[[trim.target]]
column = "mass.z"
statistic = "amplitude1"
value = "10 cm"
"""
    (tmp_path / "m.toml").write_text(text)
    m = taut.load(tmp_path / "m.toml")
    expected = 0.1 * abs(40 - 9 + 0.5j * 3)
    assert abs(taut.trim(m).parameters["f"] - expected) < 1e-6 * expected
    twice = taut.trim(m, target={"mass.z:amplitude1": 0.2}, set={"w": 4.0})
    assert abs(twice.parameters["f"] - 0.2 * abs(40 - 16 + 0.5j * 4)) < 1e-6
    with pytest.raises(TypeError, match="trim"):
        taut.trim(taut.Model().body("mass", type="point_mass", mass=1))


def test_multiblade(models):
    m = taut.load(models / "modes/hammond_rotor.toml")
    found = taut.modes(m, 20, rotating_about="z", multiblade=["blade"])
    assert set(found.labels) & {"progressive 1", "regressive 1", "collective", "differential"}
    assert found.shapes.shape == (len(found), len(found.velocities))
    with pytest.raises(TypeError, match="rotating_about"):
        taut.modes(m, multiblade="blade")
