"""Small motions: modes, linearised equations, frequency responses, Campbell diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _taut
from ._model import Changes, Field, ModelLike, as_model

Complex = NDArray[np.complex128]
_CONSTANT_COEFFICIENTS = 1e-6
"""Coefficients that vary by less count as constant."""


def _point(
    at: float | None, static: bool, rotating_about: str | Sequence[float] | None, rate: float | None, frozen: bool
) -> tuple[float | None, bool, list[float] | None, float | None, bool]:
    if at is not None and static:
        raise TypeError("`at` and `static` exclude each other")
    axis = None if rotating_about is None else axis_vector(rotating_about)
    return (None if at is None else float(at), bool(static), axis, None if rate is None else float(rate), bool(frozen))


def axis_vector(axis: str | Sequence[float]) -> list[float]:
    """An axis: x, y, z, or three numbers."""
    axes = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]}
    return axes[axis] if isinstance(axis, str) and axis in axes else vector(axis)


def vector(x: Sequence[float] | str) -> list[float]:
    """Three numbers."""
    numbers = [float(v) for v in x] if not isinstance(x, str) else []
    if len(numbers) != 3:
        raise TypeError(f"{x!r} is no vector; give x, y or z, or three numbers")
    return numbers


@dataclass
class Modes:
    """Natural frequencies, damping and mode shapes, the slowest first."""

    eigenvalues: Complex
    """λ of every mode, rad/s."""
    frequencies: NDArray[np.float64]
    """Im λ / 2π, Hz."""
    damping: NDArray[np.float64]
    """−Re λ / |λ|."""
    kinds: list[str]
    """vibration, aperiodic or free."""
    shapes: Complex = field(repr=False)
    """Displacements, one row per mode, one column per entry of `velocities`."""
    velocities: list[str] = field(repr=False)
    marker_shapes: list[dict[str, Complex]] = field(repr=False)
    """For every mode the translation and rotation of every marker."""
    modes: list[dict[str, Any]] = field(repr=False)
    """Effective masses and shares of energy of every mode."""
    state: _taut.State = field(repr=False)
    notices: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @property
    def labels(self) -> list[str]:
        """In multiblade coordinates: what moves in every mode."""
        return [str(m["label"]) for m in self.modes if "label" in m]

    def shape(self, mode: int, body: str) -> Complex:
        """The part of a shape that belongs to a body."""
        columns = [i for i, name in enumerate(self.velocities) if name.rsplit(".", 1)[0] == body]
        if not columns:
            raise KeyError(f"no body `{body}` moves in these modes")
        return self.shapes[mode, columns]


def modes(
    model: ModelLike,
    number: int | None = 10,
    *,
    at: float | None = None,
    static: bool = False,
    rotating_about: str | Sequence[float] | None = None,
    rate: float | None = None,
    frozen: bool = False,
    multiblade: Sequence[str] = (),
    state: _taut.State | None = None,
    set: Changes | None = None,
) -> Modes:
    """Computes the slowest modes about the start, a time of the run (`at`), or the static equilibrium (`static=True`).

    `multiblade` are words such as `"blade"`: the modes are then those in multiblade coordinates of the bodies with these names and a
    number, in the frame `rotating_about`. `shapes` are in these coordinates, whose names are `velocities`, and `labels` say which of
    them moves: collective, progressive 1, regressive 1, differential, or the name of a body.
    """
    point = _point(at, static, rotating_about, rate, frozen)
    if multiblade:
        if rotating_about is None or static or frozen:
            raise TypeError("`multiblade` needs `rotating_about`, and excludes `static` and `frozen`")
        return _multiblade(_taut.multiblade(as_model(model)._compiled(set), state, point, names(multiblade)), number)
    found = _taut.modes(as_model(model)._compiled(set), state, point, number)
    each = found["modes"]
    return Modes(
        found["eigenvalues"],
        np.array([m["frequency"] for m in each]),
        np.array([m["damping"] for m in each]),
        [m["kind"] for m in each],
        found["shapes"],
        found["velocities"],
        found["marker_shapes"],
        each,
        found["state"],
        found["notices"],
    )


def _multiblade(found: dict[str, Any], number: int | None) -> Modes:
    each = found["modes"][:number]
    n, notices = len(each), []
    if found["periodicity"] > _CONSTANT_COEFFICIENTS:
        notices.append(
            f"warning: the coefficients still vary by {found['periodicity']:.1e} of their size over one revolution and are averaged; "
            "stability may differ: use `floquet`"
        )
    return Modes(
        found["eigenvalues"][:n],
        np.array([m["frequency"] for m in each]),
        np.array([m["damping"] for m in each]),
        [m["kind"] for m in each],
        np.array(found["shapes"][:n]),
        found["names"],
        [],
        each,
        found["state"],
        notices,
    )


@dataclass
class LinearSystem:
    """Matrices of the linearised equations; attributes that the form does not have are None."""

    A: NDArray[np.float64] | None = None
    B: NDArray[np.float64] | None = None
    C: NDArray[np.float64] | None = None
    D: NDArray[np.float64] | None = None
    E: NDArray[np.float64] | None = None
    M: NDArray[np.float64] | None = None
    K: NDArray[np.float64] | None = None
    N: NDArray[np.float64] | None = None
    states: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    velocities: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def to_control(self) -> Any:
        """A `control.StateSpace` of python-control, which must be installed."""
        import control

        if self.A is None or self.E is not None:
            raise _taut.TautError('only form="state" is a state space')
        # python-control allows no dots in names.
        inputs, outputs = ([n.replace(".", "_") for n in names] for names in (self.inputs, self.outputs))
        return control.StateSpace(self.A, self.B, self.C, self.D, inputs=inputs, outputs=outputs)


def linearize(
    model: ModelLike,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    *,
    form: Literal["state", "descriptor", "second_order"] = "state",
    at: float | None = None,
    static: bool = False,
    rotating_about: str | Sequence[float] | None = None,
    rate: float | None = None,
    frozen: bool = False,
    state: _taut.State | None = None,
    set: Changes | None = None,
) -> LinearSystem:
    """Linearises the equations: x' = A x + B u, y = C x + D u, or one of the other forms."""
    point = _point(at, static, rotating_about, rate, frozen)
    compiled = as_model(model)._compiled(set)
    return LinearSystem(**_taut.linearize(compiled, state, point, form, names(inputs), names(outputs)))


@dataclass
class Response:
    """Frequency responses: one row per frequency, one column per output."""

    frequencies: NDArray[np.float64]
    values: Complex = field(repr=False)
    input: str
    input_unit: str
    outputs: list[str]
    units: list[str]
    notices: list[str] = field(default_factory=list)

    def plot(self, ax: Any = None) -> Any:
        """Draws the magnitudes with matplotlib."""
        from .plots import response as draw

        return draw(self, ax)


def response(
    model: ModelLike,
    input: str,
    outputs: Sequence[str],
    frequencies: ArrayLike,
    *,
    at: float | None = None,
    static: bool = False,
    rotating_about: str | Sequence[float] | None = None,
    rate: float | None = None,
    frozen: bool = False,
    state: _taut.State | None = None,
    set: Changes | None = None,
) -> Response:
    """Computes the responses of outputs to a harmonic input at frequencies in Hz."""
    f = np.atleast_1d(np.asarray(frequencies, dtype=float))
    if not np.all(np.isfinite(f)) or f.ndim != 1:
        raise _taut.TautError("the frequencies must be finite numbers in Hz")
    point = _point(at, static, rotating_about, rate, frozen)
    compiled = as_model(model)._compiled(set)
    wanted = names(outputs)
    values, unit, units, notices = _taut.response(compiled, state, point, input, wanted, f.tolist())
    return Response(f, values, input, unit, wanted, units, notices)


@dataclass
class Campbell:
    """Modes tracked over a parameter: one row per branch, one column per value; NaN where a branch was not found."""

    parameter: str
    values: NDArray[np.float64]
    unit: str
    eigenvalues: Complex = field(repr=False)
    mac: NDArray[np.float64] = field(repr=False)
    rates: NDArray[np.float64] = field(repr=False)
    failures: dict[float, str] = field(default_factory=dict)
    """Reasons by value, where there are no modes."""

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """Im λ / 2π, Hz."""
        return np.asarray(self.eigenvalues.imag / (2 * np.pi))

    def plot(self, ax: Any = None) -> Any:
        """Draws the frequencies with matplotlib."""
        from .plots import campbell as draw

        return draw(self, ax)


def campbell(
    model: ModelLike,
    parameter: str,
    values: ArrayLike,
    *,
    unit: str = "",
    number: int = 8,
    at: float | None = None,
    static: bool = False,
    rotating_about: str | Sequence[float] | None = None,
    rate: float | None = None,
    frozen: bool = False,
    set: Changes | None = None,
) -> Campbell:
    """Tracks the slowest modes over a parameter or field, named as in `set`."""
    x = np.atleast_1d(np.asarray(values, dtype=float))
    chosen = as_model(model)
    compiled: list[_taut.Compiled | None] = []
    reasons: dict[float, str] = {}
    first: Exception | None = None
    for v in x:
        value: Field = f"{v!r} {unit}".replace("np.float64(", "").replace(")", "") if unit else float(v)
        try:
            compiled.append(chosen._compiled({**(set or {}), parameter: value}))
        except _taut.TautError as e:
            first = first or e
            reasons[float(v)] = str(e)
            compiled.append(None)
    if first is not None and not any(compiled):
        raise first
    point = _point(at, static, rotating_about, rate, frozen)
    eigenvalues, mac, rates, failures = _taut.campbell(compiled, point, number)
    reasons.update({float(v): why for v, why in zip(x, failures, strict=True) if why and float(v) not in reasons})
    if len(reasons) == len(x):
        raise _taut.AnalysisError(next(iter(reasons.values())))
    return Campbell(parameter, x, unit, eigenvalues, mac, np.array(rates), reasons)


def names(x: Sequence[str] | str) -> list[str]:
    """A list of names, or one name."""
    return [x] if isinstance(x, str) else [str(name) for name in x]
