"""Constraints for other ODE code."""

import numpy as np
import pytest
import taut


def test_scipy_integrates_a_pendulum():
    pytest.importorskip("scipy")
    rod = taut.constrain(
        lambda t, y: [y[2], y[3], 0.0, -9.81], phi=lambda t, q: q @ q - 1.0, q=[0, 1], v=[2, 3]
    )
    found = rod.solve_ivp((0, 2), [1.0, 0.0, 0.0, 0.0], rtol=1e-9, atol=1e-9)
    assert found.success and np.max(np.abs(np.hypot(*found.y[:2]) - 1)) < 1e-12
    energy = 0.5 * np.sum(found.y[2:] ** 2, axis=0) + 9.81 * found.y[1]
    assert np.max(np.abs(energy)) < 1e-6
    assert rod.multipliers.shape == (1,)


def test_a_knife_edge():
    sled = taut.constrain(
        lambda t, y: [y[3], y[4], y[5], 0.0, 0.0, 0.0],
        psi=lambda t, q, v: -v[0] * np.sin(q[2]) + v[1] * np.cos(q[2]), q=[0, 1, 2], v=[3, 4, 5], M=np.diag([1.0, 1.0, 0.5]),
    )
    y = sled.project(0.0, [0.0, 0.0, 0.3, 1.0, 0.0, 0.2])
    assert abs(-y[3] * np.sin(0.3) + y[4] * np.cos(0.3)) < 1e-14


def test_errors():
    def wrong(t, q):
        if np.any(q):
            raise RuntimeError("mine")
        return 0.0

    bad = taut.constrain(lambda t, y: [y[1], 0.0], phi=wrong, q=[0], v=[1])
    with pytest.raises(RuntimeError, match="mine"):
        bad(0.0, [1.0, 0.0])
    with pytest.raises(taut.TautError):
        taut.accelerations(np.eye(2), [1, 2], [[1, 1, 1]], [1])
    with pytest.raises(taut.TautError, match="no method"):
        taut.published("nothing", np.eye(2), [1, 2], [[1, 1]], [1])
    with pytest.raises(taut.TautError):
        taut.accelerations(np.eye(2), [1, np.nan], [[1, 1]], [1])


def test_published_methods_agree():
    M, f, A, b = np.diag([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0], [[1.0, 1.0, 0.0]], [0.5]
    vdot, lam = taut.accelerations(M, f, A, b)
    for name in ("lagrange", "null_space", "udwadia_kalaba_schur"):
        v, multipliers = taut.published(name, M, f, A, b)
        assert np.allclose(v, vdot) and np.allclose(multipliers, lam)
    delta, _ = taut.correction(M, A, [0.2])
    assert np.allclose(np.array(A) @ delta, [-0.2])
