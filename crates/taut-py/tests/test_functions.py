"""Functions written in Python: forces, constraints, signals, controllers, compiled functions."""

import math

import numpy as np
import pytest
import taut


def test_a_force_equals_the_same_force_as_text():
    def model():
        return taut.Model().body("ball", type="point_mass", mass=2, position=[1, 0, 0], velocity=[0, 0.5, 0])

    mine = model().force("spring", function=lambda t, m: -3 * m.p - 0.1 * m.v, markers="ball")
    text = model()
    for axis in "xyz":
        text.force(f"s{axis}", type="formula", coordinate=f"ball.{axis}", force="-3*s - 0.1*rate")
    a, b = taut.simulate(mine, t=5, every=0.5), taut.simulate(text, t=5, every=0.5)
    assert a.verdict == b.verdict == "sound"
    assert np.allclose(a["ball.x"], b["ball.x"], atol=1e-8) and np.allclose(a["ball.vy"], b["ball.vy"], atol=1e-8)


def test_a_force_on_a_coordinate_and_between_markers():
    m = taut.Model().body("a", type="point_mass", mass=1).body("b", type="point_mass", mass=1, position=[2, 0, 0])

    def spring(t, m):
        d = m.p[1] - m.p[0]
        f = (np.linalg.norm(d) - 1) * d / np.linalg.norm(d)
        return [f, -f]

    m.force("spring", function=spring, markers=["a", "b"]).force("wind", function=lambda t, m: 0.5, markers="a.y")
    sol = taut.simulate(m, t=3, every=1)
    assert abs(sol["a.x"][-1] + sol["b.x"][-1] - 2) < 1e-9
    # The spring acts along the line of both, so the wind moves their centre alone: y = F t² / (4 m)
    assert abs(sol["a.y"][-1] + sol["b.y"][-1] - 0.5 * 0.5 * 9) < 1e-7


@pytest.mark.parametrize("word", ["phi", "psi"])
def test_a_constraint_equals_a_rod(pendulum, word):
    def phi(t, m):
        return m.p @ m.p - 0.09

    def psi(t, m):
        return m.p @ m.v

    mine = taut.Model(gravity=[0, -9.81, 0]).body("bob", type="point_mass", mass=0.5, position=[0.3, 0, 0])
    mine.constraint("own", **{word: phi if word == "phi" else psi}, markers="bob")
    a, b = taut.simulate(mine, t=1, every=0.1), taut.simulate(pendulum, t=1, every=0.1)
    assert a.verdict == "sound", a.warnings
    assert np.allclose(a["bob.x"], b["bob.x"], atol=1e-6)


def test_a_constraint_has_any_number_of_markers_and_rows():
    # x_k = (k + 1) x_0 with masses k + 1 under gravity along x: a_0 = g sum(m c) / sum(m c^2), c = k + 1.
    n = 14
    m = taut.Model("fan", gravity=[10, 0, 0])
    for k in range(n):
        m.body(f"p{k}", type="point_mass", mass=k + 1)
    c = np.arange(1, n + 1)
    names = [f"p{k}" for k in range(n)]
    m.constraint("fan", phi=lambda t, at: at.p[1:, 0] - c[1:] * at.p[0, 0], markers=names, rows=n - 1)
    sol = taut.simulate(m, t=1, every=0.5)
    assert abs(sol["p0.x"][-1] - 5 * (c @ c) / (c @ c**2)) < 1e-9
    assert abs(sol[f"p{n - 1}.x"][-1] - n * sol["p0.x"][-1]) < 1e-12


def test_a_signal_drives_a_joint(four_bar):
    m = taut.Model("crank").body("crank", type="planar", mass=1, inertia=0.1)
    m.joint("pin", type="pin", a="ground", b="crank")
    m.driver("motor", coordinate="pin.angle", position=lambda t: math.sin(2 * t))
    sol = taut.simulate(m, t=1, every=0.25)
    assert np.allclose(sol["crank.theta"], np.sin(2 * sol.t), atol=1e-9)
    assert np.allclose(sol["crank.alpha"], -4 * np.sin(2 * sol.t), atol=1e-6)
    with pytest.raises(taut.ModelError, match="functions of Python"):
        m.to_toml()


def test_a_controller_balances_a_pole(cart):
    def balance(sim):
        angle, rate = sim.values(["pole.theta", "pole.omega"])
        # The pole leans towards negative x if its angle grows, and the cart follows it.
        sim.inputs["push"] = -60 * (angle - math.pi / 2) - 10 * rate

    tilted = {"pole.angle": "93 deg"}
    alone = taut.simulate(cart, t=1.5, every=0.05, set=tilted)
    assert abs(alone["pole.theta"][-1] - math.pi / 2) > 0.5
    sol = taut.simulate(cart, t=1.5, every=0.05, set=tilted, controller=balance, sample=0.01)
    assert sol.success and sol.verdict == "sound", sol.warnings
    assert abs(sol["pole.theta"][-1] - math.pi / 2) < 0.01
    with pytest.raises(taut.TautError, match="sample"):
        taut.simulate(cart, controller=balance)


def test_a_compiled_force():
    numba = pytest.importorskip("numba")
    from numba import types

    signature = types.void(types.float64, types.CPointer(types.float64), types.CPointer(types.float64))

    @numba.cfunc(signature)
    def spring(t, m, out):
        out[0] = -3.0 * m[0]

    m = taut.Model().body("ball", type="point_mass", mass=3, position=[1, 0, 0])
    m.force("spring", function=spring.address, markers="ball")
    sol = taut.simulate(m, t=2, every=0.5)
    assert np.allclose(sol["ball.x"], np.cos(sol.t), atol=1e-7)
