"""Analyses of a model. The words are those of the command: `taut.modes(model, static=True)` is `taut modes MODEL --static`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _taut
from ._fields import user_event
from ._linear import axis_vector, vector
from ._linear import names as name_list
from ._model import Changes, Field, Model, ModelLike, as_model
from ._simulation import Simulation
from ._solution import Solution


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
    rotating_about: str | Sequence[float] | None = None,
    rate: float | None = None,
    through: Sequence[float] = (0.0, 0.0, 0.0),
    state: _taut.State | None = None,
    set: Changes | None = None,
    **former: Any,
) -> Equilibrium:
    """Finds the static equilibrium, at rest or in a frame that rotates about the axis `rotating_about` with `rate` (rad/s)."""
    for name in former:
        new = {"rotation": "rotating_about", "speed": "rate"}.get(name)
        hint = f"; it is now called `{new}`" if new else ""
        raise TypeError(f"static() has no argument `{name}`{hint}")
    if (rotating_about is None) != (rate is None):
        raise TypeError("`rotating_about` (the axis) and `rate` (rad/s) belong together")
    frame = None if rotating_about is None or rate is None else (axis_vector(rotating_about), float(rate), vector(through))
    if load_steps is not None and not 1 <= load_steps <= 100_000:
        raise _taut.TautError(f"load_steps is {load_steps}; give 1 to 100000")
    loading = (load_steps, (first, longest, points, branch) if arc_length else None)
    compiled = (chosen := as_model(model))._compiled(set)
    found, report, raw = _taut.equilibrium(compiled, state, loading, frame)
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
    lists = [None if x is None else name_list(x) for x in (formulations, drifts, integrators)]
    wanted = None if tolerances is None else [float(x) for x in tolerances]
    return Lab(_taut.lab(compiled, (lists[0], lists[1], lists[2], wanted, full, jobs))["trials"])
