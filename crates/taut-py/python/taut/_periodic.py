"""Periodic motions, their stability, and trim. The words are those of `taut periodic`, `taut floquet` and `taut trim`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _taut
from ._analyses import static as find_equilibrium
from ._linear import names as name_list
from ._model import Changes, Field, Model, ModelLike, as_model
from ._solution import Solution

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
_NEUTRAL = 1e-4
"""Multipliers that differ from 1 by less count as neutral: an error of 1e-9 scatters a double one by its root."""
_TRIM_TOLERANCE = 1e-7
_TRIM_ITERATIONS = 30
_MONODROMY_WARNING = 1e-7


@dataclass
class Harmonics:
    """The Fourier series of a column over one period, counted from the start of the motion."""

    unit: str
    mean: float
    cos: Array
    """Cosine parts of the harmonics 1, 2, …"""
    sin: Array
    """Sine parts."""
    turns: int = 0
    """Whole turns that an angle makes besides."""

    @property
    def amplitude(self) -> Array:
        """Amplitudes of the harmonics 1, 2, …"""
        return np.hypot(self.cos, self.sin)


@dataclass
class Floquet:
    """Multipliers, exponents and modes of a periodic motion, the least stable first."""

    period: float
    multipliers: Complex
    """Factors of the small motions after one period; of a complex pair the one with positive frequency."""
    exponents: Complex
    """ln(multiplier)/period with the frequency of the largest harmonic, rad/s."""
    frequencies: Array
    """Hz."""
    damping: Array
    kinds: list[str]
    """pair, locked, half_locked or vanishing."""
    dimension: int
    """Number of multipliers, both of a pair counted."""
    modes: list[dict[str, Any]] = field(repr=False)
    """Harmonics of every mode with their shares and shapes."""
    state: _taut.State = field(repr=False)
    notices: list[str] = field(default_factory=list)

    @property
    def stability(self) -> str:
        """stable, unstable or neutral."""
        largest = float(np.abs(self.multipliers).max(initial=0.0))
        return "unstable" if largest > 1 + _NEUTRAL else "stable" if largest < 1 - _NEUTRAL else "neutral"


@dataclass
class Periodic:
    """A periodic motion."""

    period: float
    state: _taut.State
    """The start of the motion."""
    harmonics: dict[str, Harmonics]
    floquet: Floquet = field(repr=False)
    motion: Solution = field(repr=False)
    """One period, all columns."""
    iterations: int = 0
    difference: float = math.nan
    """Largest relative difference after one period."""

    @property
    def stability(self) -> str:
        """stable, unstable or neutral: whether nearby motions approach it."""
        return self.floquet.stability


@dataclass(frozen=True)
class _Point:
    """Which periodic motion: its period, and where the search starts."""

    period: Field
    free_period: Field
    hold: Sequence[str]
    at: float | None
    static: bool
    segments: int
    of_file: bool = False
    """The period is that of `[trim]` in the model file."""

    def __post_init__(self) -> None:
        if self.of_file:
            return
        if (self.period is None) == (self.free_period is None):
            raise TypeError("give `period`, or `free_period` if it is unknown")
        if self.at is not None and self.static:
            raise TypeError("`at` and `static` exclude each other")
        if self.hold and self.free_period is None:
            raise TypeError("`hold` needs `free_period`")
        if not 1 <= self.segments <= 1000:
            raise _taut.TautError(f"segments is {self.segments}; give 1 to 1000")

    def arguments(self, model: Model, changes: Changes) -> tuple[float, bool, list[str], float | None, bool, int]:
        """The period is read as the duration of the model, so that it may have a unit and use parameters."""
        if self.of_file:
            table = model._compiled(changes).trim or {}
            free = table.get("period") is None
            value = table["free_period"] if free else table["period"]
            return (value, free, name_list(self.hold), self.at, self.static, self.segments)
        text = self.period if self.free_period is None else self.free_period
        try:
            span = model._compiled({**changes, "settings.duration": text}).span
        except _taut.ModelError:
            try:
                span = model._compiled({**changes, "settings.end_time": text}).span
            except _taut.ModelError:
                span = (math.nan, math.nan)
            if math.isnan(span[0]):
                raise
        return (span[1] - span[0], self.period is None, name_list(self.hold), self.at, self.static, self.segments)


def _search(
    model: Model, point: _Point, changes: Changes, state: _taut.State | None, modes: bool, columns: Sequence[str], highest: int
) -> dict[str, Any]:
    compiled = model._compiled(changes)
    return _taut.periodic(compiled, state, point.arguments(model, changes), modes, list(columns), highest)


def _floquet(found: dict[str, Any]) -> Floquet:
    each = found["modes"]
    error = found["monodromy_error"]
    notices = []
    if error > _MONODROMY_WARNING:
        notices.append(f"warning: the small motions are resolved to {error:.0e} only; the fastest modes may be wrong")
    return Floquet(
        found["period"],
        found["multipliers"],
        found["exponents"],
        np.array([m["frequency"] for m in each]),
        np.array([m["damping"] for m in each]),
        [m["kind"] for m in each],
        found["dimension"],
        each,
        found["state"],
        notices,
    )


def _harmonics(found: dict[str, Any]) -> dict[str, Harmonics]:
    def one(h: dict[str, Any]) -> Harmonics:
        pairs = np.array(h["harmonics"], dtype=float).reshape(-1, 2)
        return Harmonics(h["unit"], h["mean"], pairs[:, 0], pairs[:, 1], h["turns"])

    return {name: one(h) for name, h in found["harmonics"].items()}


def periodic(
    model: ModelLike,
    period: Field = None,
    *,
    free_period: Field = None,
    hold: Sequence[str] = (),
    at: float | None = None,
    static: bool = False,
    segments: int = 1,
    harmonics: Sequence[str] = (),
    number: int = 6,
    state: _taut.State | None = None,
    set: Changes | None = None,
) -> Periodic:
    """Finds a periodic motion by shooting, on the constraint manifold, with its harmonics and its stability.

    `period` may have a unit and use parameters, as `"2*pi/W"`. If it is unknown, give `free_period`, a value near it, and `hold`, columns
    that keep their values at the start. The search starts at the assembled start, at a time of the run (`at`), or at the static equilibrium
    (`static=True`). Unstable motions need several `segments`. `harmonics` are columns; `number` is the highest harmonic.
    """
    chosen = as_model(model)
    if not 1 <= number <= 1000:
        raise _taut.TautError(f"number is {number}; give 1 to 1000")
    point = _Point(period, free_period, hold, at, static, segments)
    found = _search(chosen, point, set or {}, state, True, name_list(harmonics), number)
    about = {"outcome": "finished", "success": True, "message": "one period of a periodic motion"}
    motion = Solution(found["columns"], about, model=chosen, compiled=chosen._compiled(set), final_state=found["state"])
    return Periodic(
        found["period"], found["state"], _harmonics(found), _floquet(found), motion, found["iterations"], found["difference"]
    )


def floquet(model: ModelLike, period: Field = None, **how: Any) -> Floquet:
    """Computes the Floquet modes of a periodic motion; the arguments are those of `periodic`."""
    return periodic(model, period, **how).floquet


@dataclass
class Trim:
    """Values of parameters for which results take given values."""

    parameters: dict[str, float]
    results: dict[str, float]
    iterations: int
    derivatives: Array = field(repr=False)
    """Derivatives of the results (rows) by the parameters (columns)."""


def _statistic(target: str) -> tuple[str, str, int]:
    """Column, statistic and harmonic of a target."""
    column, colon, word = target.rpartition(":")
    if not colon:
        return target, "", 0
    if word == "mean":
        return column, "mean", 0
    parts = re.fullmatch(r"(cos|sin|amplitude)([1-9][0-9]{0,2})", word)
    if parts is None:
        raise _taut.TautError(f"target `{target}`: statistics are mean, cos1 …, sin1 …, amplitude1 …")
    return column, parts[1], int(parts[2])


def trim(
    model: ModelLike,
    vary: Mapping[str, Sequence[float]] | None = None,
    target: Mapping[str, float] | None = None,
    *,
    period: Field = None,
    free_period: Field = None,
    hold: Sequence[str] = (),
    at: float | None = None,
    static: bool = False,
    segments: int = 1,
    set: Changes | None = None,
) -> Trim:
    """Finds parameters for which means or harmonics of columns, or values at the equilibrium, take given values.

    `vary` maps parameters to (lowest, first, highest) value. With a period, `target` maps `"hub.fz:mean"`, `"flap.angle:cos1"`, `"…:sin2"`,
    `"…:amplitude4"` to values; without one, columns at the static equilibrium. There are as many targets as parameters. `[trim]` in the
    model file gives what is left out here; a parameter or target named here replaces its entry there.
    """
    chosen, changes = as_model(model), dict(set or {})
    table = chosen._compiled(changes).trim or {}
    vary = {**table.get("vary", {}), **(vary or {})}
    target = {**table.get("target", {}), **(target or {})}
    if not vary or not target:
        raise TypeError("give `vary` and `target`, or [trim] in the model file")
    point = None
    if period is not None or free_period is not None:
        point = _Point(period, free_period, hold, at, static, segments)
    elif table.get("period") is not None or table.get("free_period") is not None:
        start = table.get("at") if at is None and not static else at
        pieces = table.get("segments") or 1 if segments == 1 else segments
        point = _Point(None, None, table.get("hold", ()), start, static, pieces, of_file=True)
    wanted = {name: _statistic(name) for name in target}
    for name, (_, word, _) in wanted.items():
        if bool(word) != (point is not None):
            remedy = "write COLUMN:mean, or cos1, sin1, amplitude1 …" if point else "give `period` for means and harmonics"
            raise _taut.TautError(f"target `{name}` does not fit the analysis; {remedy}")
    ranges = []
    for name, values in vary.items():
        low, first, high = _range(name, values)
        ranges.append((name, low, first, high))
    last: list[_taut.State | None] = [None]

    def evaluate(p: Sequence[float]) -> tuple[list[float], list[float]]:
        own = {**changes, **dict(zip(vary, p, strict=True))}
        if point is None:
            found = find_equilibrium(chosen, state=last[0], set=own)
            last[0] = found.state
            values = [float(found.path[column][-1]) for column, _, _ in wanted.values()]
            return values, [abs(x) for x in values]
        highest = max(1, *(order for _, _, order in wanted.values()))
        names = list(dict.fromkeys(column for column, _, _ in wanted.values()))
        motion = _search(chosen, point if last[0] is None else _near(point), own, last[0], False, names, highest)
        last[0] = motion["state"]
        series = _harmonics(motion)
        values = [_value(series[column], word, order) for column, word, order in wanted.values()]
        sizes = [max(abs(h.mean), float(h.amplitude.max())) for h in (series[column] for column, _, _ in wanted.values())]
        return values, sizes

    begun = [x for _, _, x, _ in ranges]
    start, sizes = evaluate(begun)
    # The sizes of the results at first give the tolerances.
    listed = [
        (name, float(x), _TRIM_TOLERANCE * max(abs(x), size, float(np.finfo(float).tiny)))
        for (name, x), size in zip(target.items(), sizes, strict=True)
    ]
    known = [start]

    def results(p: list[float]) -> list[float]:
        return known.pop() if known and p == begun else evaluate(p)[0]

    parameters, found, iterations, derivatives = _taut.trim(ranges, listed, _TRIM_ITERATIONS, results)
    return Trim(
        dict(zip(vary, parameters, strict=True)), dict(zip(target, found, strict=True)), iterations, np.array(derivatives)
    )


def _near(point: _Point) -> _Point:
    """The same motion, searched from a known state."""
    return _Point(point.period, point.free_period, point.hold, None, False, point.segments, point.of_file)


def _range(name: str, values: Sequence[float]) -> tuple[float, float, float]:
    numbers = [float(x) for x in values] if not isinstance(values, str) else []
    if len(numbers) != 3 or not numbers[0] <= numbers[1] <= numbers[2] or not numbers[0] < numbers[2]:
        raise _taut.TautError(f"`{name}` needs three numbers: lowest, first and highest value; {values!r} is none")
    return numbers[0], numbers[1], numbers[2]


def _value(series: Harmonics, word: str, order: int) -> float:
    values = {"cos": series.cos, "sin": series.sin, "amplitude": series.amplitude}
    return series.mean if word == "mean" else float(values[word][order - 1])
