"""Constraints for your own ODE code, and for your own matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _taut

Array = NDArray[np.float64]


class Constrained:
    """A right-hand side with constraints: call it in place of your own, and `project` after steps.

    >>> import numpy as np
    >>> from taut import constrain
    >>> falling = lambda t, y: [y[2], y[3], 0.0, -9.81]
    >>> rod = constrain(falling, phi=lambda t, q: np.hypot(*q) - 1.0, q=[0, 1], v=[2, 3])
    >>> ydot = rod(0.0, [1.0, 0.0, 0.0, 0.0])
    >>> [round(float(x), 9) for x in ydot]
    [0.0, 0.0, 0.0, -9.81]
    """

    def __init__(self, inner: _taut.Constrained) -> None:
        self._inner = inner

    def __call__(self, t: float, y: ArrayLike) -> Array:
        """ydot, with the velocities corrected and the accelerations constrained."""
        return self._inner.rates(float(t), _array(y))

    def project(self, t: float, y: ArrayLike) -> Array:
        """The nearest state on the constraints."""
        return self._inner.project(float(t), _array(y))

    @property
    def multipliers(self) -> Array:
        """λ of the last evaluation; Aᵀλ is the force of the constraints."""
        return self._inner.multipliers

    def solve_ivp(self, span: tuple[float, float], y0: ArrayLike, **options: Any) -> Any:
        """Integrates with SciPy, which must be installed, and projects every output onto the constraints."""
        from scipy.integrate import solve_ivp

        start = self.project(span[0], y0)
        found = solve_ivp(self, span, start, **options)
        for k, t in enumerate(found.t):
            found.y[:, k] = self.project(float(t), found.y[:, k])
        return found


def constrain(
    f: Callable[[float, Array], ArrayLike],
    *,
    phi: Callable[[float, Array], ArrayLike] | None = None,
    psi: Callable[[float, Array, Array], ArrayLike] | None = None,
    q: Sequence[int],
    v: Sequence[int],
    M: ArrayLike | None = None,
    states: int | None = None,
) -> Constrained:
    """Adds constraints φ(t, q) = 0 and ψ(t, q, v) = 0 to ydot = f(t, y).

    `q` are the entries of y that are coordinates, `v` those that are their rates; others are extra states. M is the mass matrix of these
    coordinates (default: equal masses). Derivatives are differences of sixth order.
    """
    if phi is None and psi is None:
        raise TypeError("give `phi(t, q)`, `psi(t, q, v)`, or both")
    places, rates = [int(i) for i in q], [int(i) for i in v]
    if any(i < 0 for i in (*places, *rates)):
        raise _taut.TautError("the entries of `q` and `v` are counted from 0")
    count = max((*places, *rates), default=-1) + 1 if states is None else int(states)
    zero = np.zeros(len(places))
    rows = 0 if phi is None else _rows(phi(0.0, zero))
    more = 0 if psi is None else _rows(psi(0.0, zero, zero))
    mass = None if M is None else np.atleast_2d(np.asarray(M, dtype=float))
    return Constrained(_taut.Constrained(f, (phi, rows, psi, more), count, places, rates, mass))


def accelerations(M: ArrayLike, f: ArrayLike, A: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    """v̇ and λ with M v̇ = f + Aᵀ λ and A v̇ = b; rows may be redundant, M may be singular.

    >>> vdot, lam = accelerations([[4, 1, 0], [1, 3, 1], [0, 1, 2]], [1, 2, 3], [[1, 1, 0]], [1])
    >>> [round(float(x), 12) for x in 9 * vdot], round(float(3 * lam[0]), 12)
    ([4.0, 5.0, 11.0], 4.0)
    """
    vdot, multipliers, _ = _taut.accelerations(_matrix(M), _array(f), _matrix(A), _array(b))
    return vdot, multipliers


def correction(W: ArrayLike, A: ArrayLike, residual: ArrayLike) -> tuple[Array, Array]:
    """The smallest δ in the norm of W with A δ = −residual, and its multipliers."""
    return _taut.correction(_matrix(W), _matrix(A), _array(residual))


def published(method: str, M: ArrayLike, f: ArrayLike, A: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    """v̇ and λ by a published method, one of `taut.PUBLISHED`."""
    return _taut.published(method, _matrix(M), _array(f), _matrix(A), _array(b))


def _array(x: ArrayLike) -> Array:
    return np.ascontiguousarray(x, dtype=np.float64).reshape(-1)


def _matrix(x: ArrayLike) -> Array:
    m = np.ascontiguousarray(x, dtype=np.float64)
    if m.ndim != 2:
        raise _taut.TautError(f"a matrix has two dimensions; this array has shape {m.shape}")
    return m


def _rows(value: ArrayLike) -> int:
    return int(np.size(np.asarray(value, dtype=float)))
