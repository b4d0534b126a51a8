"""Analyses of a model. The words are those of the command: `taut.modes(model, static=True)` is `taut modes MODEL --static`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _taut
from ._model import Field, Model, as_model, user_event
from ._simulation import Simulation
from ._solution import Solution

ModelLike = Model | str | os.PathLike[str]
Changes = Mapping[str, Field]
Complex = NDArray[np.complex128]


def run_settings(
    t: Field = None,
    *,
    start_time: Field = None,
    rtol: Field = None,
    atol: Field = None,
    method: str | None = None,
    step: Field = None,
    max_step: Field = None,
    formulation: str | None = None,
    drift: str | None = None,
    initial_conditions: str | None = None,
    max_steps: int | None = None,
    wall_clock: Field = None,
    every: Field = None,
    set: Changes | None = None,
) -> dict[str, Field]:
    """The settings of a run as changes of the model."""
    changes: dict[str, Field] = dict(set or {})
    if isinstance(t, (tuple, list)):
        if len(t) != 2:
            raise TypeError(f"t has {len(t)} entries; give the duration, or the start and the end")
        changes["settings.start_time"], changes["settings.end_time"] = t
        t = None
    given: dict[str, Field] = {
        "duration": t, "start_time": start_time, "rtol": rtol, "atol": atol, "method": method, "step": step,
        "max_step": max_step, "formulation": formulation, "drift": drift, "initial_conditions": initial_conditions,
        "max_steps": max_steps, "wall_clock": wall_clock,
    }  # fmt: skip
    changes.update({f"settings.{name}": x for name, x in given.items() if x is not None})
    if every is not None:
        changes["outputs.every"] = every
    return changes


def simulate(
    model: ModelLike,
    t: Field = None,
    *,
    events: Sequence[Any] | Callable[..., Any] = (),
    state: _taut.State | None = None,
    dense: bool = True,
    controller: Callable[[Simulation], object] | None = None,
    sample: float | None = None,
    **settings: Any,
) -> Solution:
    """Simulates a model and returns its motion.

    `t` is the duration, or start and end; `rtol`, `atol`, `method`, `every`, `step`, `max_step`, `formulation`, `drift`,
    `initial_conditions`, `max_steps` and `wall_clock` are the settings of the model file; `set` changes any other value, as
    `{"crank.mass": "2 kg"}`. `events` are functions of (t, y), as in SciPy, or conditions as text. A `controller(sim)` is called every
    `sample` seconds and may set `sim.inputs`.

    A run that stops returns its rows, and `message` says why. Ctrl-C does the same; `status` is then 2.

    >>> import taut
    >>> m = taut.Model(gravity=[0, 0, -9.81]).body("stone", type="point_mass", mass=1)
    >>> sol = taut.simulate(m, t=2, every=0.5)
    >>> sol.success, sol.verdict
    (True, 'sound')
    >>> round(float(sol["stone.vz"][-1]), 9)
    -19.62
    """
    chosen = as_model(model)
    changes = run_settings(t, **settings)
    listed, names = _events(chosen, events)
    compiled = listed.model._compiled(changes)
    if controller is not None:
        return _controlled(Simulation._start(listed.model, compiled, listed.functions, state), controller, sample, names)
    raw = _taut.simulate(compiled, listed.functions, state, dense)
    return Solution._of(raw, listed.model, compiled, names)


@dataclass
class _Events:
    model: Model
    functions: list[tuple[str, Any, float, int]]


def _events(model: Model, events: Sequence[Any] | Callable[..., Any]) -> tuple[_Events, list[str]]:
    """The events of the model and of the call: functions, and conditions as text."""
    items = [events] if callable(events) or isinstance(events, str) else list(events)
    functions, names = list(model._events), list[str]()
    own = model
    for i, item in enumerate(items):
        name = f"event_{i + 1}"
        if isinstance(item, str):
            model = model.copy() if model is own else model
            model.event(name, when=item)
        elif callable(item):
            called = str(getattr(item, "__name__", ""))
            name = called if called.isidentifier() and called not in names else name
            functions.append(user_event(name, item))
        else:
            raise TypeError(f"event {i + 1} is a {type(item).__name__}; give a function of (t, y) or a condition as text")
        names.append(name)
    return _Events(model, functions), names


def _controlled(
    sim: Simulation, controller: Callable[[Simulation], object], sample: float | None, names: list[str]
) -> Solution:
    if sample is None or not sample > 0:
        raise _taut.TautError("a controller needs `sample`, the time between two calls in seconds")
    first = sim.t
    count = 0
    while sim.underway:
        controller(sim)
        count += 1
        sim.advance(first + count * sample)
    return sim.solution(names)


@dataclass
class Check:
    """What `check` finds: freedoms, redundant rows, errors."""

    freedoms: int | None
    """Degrees of freedom at the start; none if the model is too large to count them."""
    redundant: int | None
    """Number of redundant rows."""
    errors: list[str]
    """Errors that keep the model from running correctly."""
    text: str
    """The report as text."""
    doctor: dict[str, Any] = field(repr=False)
    """All findings."""

    @property
    def ok(self) -> bool:
        """Whether there are no errors."""
        return not self.errors

    def __str__(self) -> str:
        return self.text


def check(model: ModelLike, *, state: _taut.State | None = None, set: Changes | None = None) -> Check:
    """Counts the degrees of freedom and finds redundant, contradictory and open constraints."""
    found = _taut.check(as_model(model)._compiled(set), state)
    here = found["doctor"].get("here") or {}
    errors = [str(e["text"]) for e in found["errors"]]
    return Check(here.get("freedoms"), here.get("redundant"), errors, found["text"], found["doctor"])


@dataclass
class Assembly:
    """The assembled state, and what was moved to reach it."""

    state: _taut.State
    moved: list[dict[str, Any]]
    """Displacement, rotation and change of velocity of every body that moved, largest first."""
    iterations: int
    residuals: list[dict[str, Any]] = field(repr=False)
    """Residuals of the rows before and after."""
    flipped: list[str] = field(default_factory=list)
    """Joints assembled with opposed axes."""


def assemble(
    model: ModelLike, *, hold: Sequence[str] = (), state: _taut.State | None = None, set: Changes | None = None
) -> Assembly:
    """Finds the nearest pose and velocities that satisfy the constraints; bodies in `hold` hardly move."""
    if isinstance(hold, str):
        hold = [hold]
    found, ledger = _taut.assemble(as_model(model)._compiled(set), state, list(hold))
    return Assembly(found, ledger["moved"], ledger["iterations"], ledger["residuals"], ledger.get("flipped", []))


@dataclass
class Equilibrium:
    """A static equilibrium."""

    state: _taut.State
    stability: str
    """stable, unstable, neutral or unknown."""
    stiffness: float | None
    """The smallest stiffness."""
    load_factor: float
    moved: list[dict[str, Any]] = field(repr=False)
    path: Solution = field(repr=False)
    """The equilibria under increasing load; the last row is this one, with its reactions."""
    report: dict[str, Any] = field(repr=False)


def static(
    model: ModelLike,
    *,
    load_steps: int | None = None,
    arc_length: bool = False,
    first: float = 0.05,
    longest: float = 0.1,
    points: int = 500,
    branch: float | None = None,
    rotation: Sequence[float] | None = None,
    speed: float | None = None,
    through: Sequence[float] = (0.0, 0.0, 0.0),
    state: _taut.State | None = None,
    set: Changes | None = None,
) -> Equilibrium:
    """Finds the static equilibrium, at rest or in a frame that rotates about the axis `rotation` with `speed` (rad/s)."""
    if (rotation is None) != (speed is None):
        raise TypeError("`rotation` (the axis) and `speed` (rad/s) belong together")
    turning = None if rotation is None or speed is None else (_vector(rotation), float(speed), _vector(through))
    if load_steps is not None and not 1 <= load_steps <= 100_000:
        raise _taut.TautError(f"load_steps is {load_steps}; give 1 to 100000")
    loading = (load_steps, (first, longest, points, branch) if arc_length else None)
    compiled = (chosen := as_model(model))._compiled(set)
    found, report, raw = _taut.equilibrium(compiled, state, loading, turning)
    path = Solution._of(raw, chosen, compiled)
    return Equilibrium(
        found, report["stability"], report["stiffness"], report["load_factor"], report["moved"], path, report
    )


def kinematics(model: ModelLike, t: Field = None, **settings: Any) -> Solution:
    """Computes a motion that the drivers prescribe completely."""
    compiled = (chosen := as_model(model))._compiled(run_settings(t, **settings))
    return Solution._of(_taut.kinematics(compiled), chosen, compiled)


@dataclass
class Inverse:
    """Reactions and forces required for given accelerations, in one pose."""

    reactions: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    """Force and moment of every constraint on its last marker."""
    multipliers: dict[str, float]
    """Multipliers by row; that of a driven row is the effort of the driver."""
    joint_efforts: list[dict[str, Any]]
    """Efforts that the free axes of joints need."""
    efforts: list[dict[str, Any]]
    """Generalised forces that the bodies need besides reactions."""
    needed: float
    """The largest of them."""
    violation: float
    """Largest residual of the accelerations; not zero if they contradict the constraints."""


def inverse(
    model: ModelLike,
    accelerations: Mapping[str, float] | None = None,
    *,
    state: _taut.State | None = None,
    set: Changes | None = None,
) -> Inverse:
    """Computes the forces required for given accelerations in the initial pose, as `{"upper.alpha": 2.0}`; others are zero."""
    given = [(str(k), float(v)) for k, v in (accelerations or {}).items()]
    _, found = _taut.inverse(as_model(model)._compiled(set), state, given)
    reactions = {r["constraint"]: (np.array(r["force"]), np.array(r["moment"])) for r in found["reactions"]}
    rows = dict(zip(found["rows"], found["lambda"], strict=True))
    return Inverse(
        reactions, rows, found["joint_efforts"], found["efforts"], found["needed"], found["violation"]
    )


def _point(
    at: float | None, static: bool, rotating_about: str | Sequence[float] | None, rate: float | None, frozen: bool
) -> tuple[float | None, bool, list[float] | None, float | None, bool]:
    if at is not None and static:
        raise TypeError("`at` and `static` exclude each other")
    axes = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]}
    axis = None
    if rotating_about is not None:
        axis = axes[rotating_about] if isinstance(rotating_about, str) and rotating_about in axes else _vector(rotating_about)
    return (None if at is None else float(at), bool(static), axis, None if rate is None else float(rate), bool(frozen))


def _vector(x: Sequence[float] | str) -> list[float]:
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
    state: _taut.State | None = None,
    set: Changes | None = None,
) -> Modes:
    """Computes the slowest modes about the start, a time of the run (`at`), or the static equilibrium (`static=True`)."""
    point = _point(at, static, rotating_about, rate, frozen)
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
    return LinearSystem(**_taut.linearize(compiled, state, point, form, _names(inputs), _names(outputs)))


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
    names = _names(outputs)
    values, unit, units, notices = _taut.response(compiled, state, point, input, names, f.tolist())
    return Response(f, values, input, unit, names, units, notices)


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


@dataclass
class Lab:
    """Formulations, drift controls and integrators compared on one model; one entry per trial."""

    trials: list[dict[str, Any]] = field(repr=False)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with one row per trial."""
        import pandas as pd

        return pd.DataFrame(self.trials)

    def plot(self, ax: Any = None) -> Any:
        """Draws a work-precision diagram with matplotlib."""
        from .plots import lab as draw

        return draw(self, ax)


def lab(
    model: ModelLike,
    t: Field = None,
    *,
    formulations: Sequence[str] | None = None,
    drifts: Sequence[str] | None = None,
    integrators: Sequence[str] | None = None,
    tolerances: Sequence[float] | None = None,
    full: bool = False,
    jobs: int | None = None,
    **settings: Any,
) -> Lab:
    """Compares formulations, drift controls and integrators on one model, each by its error, drift, energy and time."""
    compiled = as_model(model)._compiled(run_settings(t, **settings))
    lists = [None if x is None else _names(x) for x in (formulations, drifts, integrators)]
    wanted = None if tolerances is None else [float(x) for x in tolerances]
    return Lab(_taut.lab(compiled, (lists[0], lists[1], lists[2], wanted, full, jobs))["trials"])


def _names(x: Sequence[str] | str) -> list[str]:
    return [x] if isinstance(x, str) else [str(name) for name in x]
