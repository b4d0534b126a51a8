"""One pose of a model: what its constraints leave free and determine, and how it is assembled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

from . import _taut
from ._model import Changes, ModelLike, as_model


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
    determinacy: dict[str, Any] | None = field(default=None, repr=False)
    """Which reactions at the start are unique: joints, components, and sets of components that trade load."""
    changes: list[list[str]] = field(default_factory=list, repr=False)
    """Changes of joints, each of which makes all reactions unique without another freedom."""

    def unique(self, name: str) -> bool | None:
        """Whether all components of a reaction are unique; none if it is not known."""
        if self.determinacy is None or not self.determinacy["examined"]:
            return None
        found = [j["label"] for j in self.determinacy["joints"] if j["constraint"] == name]
        if not found:
            known = ", ".join(j["constraint"] for j in self.determinacy["joints"])
            raise KeyError(f"no reaction `{name}`; there are {known or 'none'}")
        return bool(found[0] == "unique")

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
    text = found["text"] + (f"\n{found['determinacy_text']}" if found["determinacy_text"] else "")
    return Check(
        here.get("freedoms"), here.get("redundant"), errors, text, found["doctor"], found["determinacy"], found["changes"]
    )


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


@dataclass
class Branches:
    """All poses in which a mechanism can be assembled."""

    states: list[_taut.State] = field(repr=False)
    """The poses; the first is that of the given one, if `given_closes`."""
    signs: list[dict[str, str]]
    """Signs of coordinates that name each branch: `branch` of the model file."""
    coordinates: list[dict[str, float]] = field(repr=False)
    completeness: str
    """proven (theory allows no more), found, or cut_off or interrupted (more may exist)."""
    given_closes: bool
    starts: int
    """Random starts of the search."""

    def __len__(self) -> int:
        return len(self.states)


@overload
def assemble(
    model: ModelLike,
    *,
    hold: Sequence[str] = (),
    branches: Literal[False] = False,
    state: _taut.State | None = None,
    set: Changes | None = None,
) -> Assembly: ...
@overload
def assemble(
    model: ModelLike,
    *,
    branches: Literal[True],
    starts: int | None = None,
    seed: int | None = None,
    set: Changes | None = None,
) -> Branches: ...
def assemble(
    model: ModelLike,
    *,
    hold: Sequence[str] = (),
    branches: bool = False,
    starts: int | None = None,
    seed: int | None = None,
    state: _taut.State | None = None,
    set: Changes | None = None,
) -> Assembly | Branches:
    """Finds the nearest pose and velocities that satisfy the constraints; bodies in `hold` hardly move.

    `branches=True` finds all poses in which the mechanism can be assembled, from at most `starts` random starts with a `seed`.
    Ctrl-C returns those found so far.
    """
    if branches:
        if hold or state is not None:
            raise TypeError("`branches` excludes `hold` and `state`")
        return _branches(_taut.branches(as_model(model)._compiled(set), starts, seed))
    if starts is not None or seed is not None:
        raise TypeError("`starts` and `seed` need `branches`")
    if isinstance(hold, str):
        hold = [hold]
    found, ledger = _taut.assemble(as_model(model)._compiled(set), state, list(hold))
    return Assembly(found, ledger["moved"], ledger["iterations"], ledger["residuals"], ledger.get("flipped", []))


def _branches(found: tuple[list[_taut.State], dict[str, Any]]) -> Branches:
    states, report = found
    each = report["branches"]
    return Branches(
        states, [b["signs"] for b in each], [b["coordinates"] for b in each], report["completeness"], report["given_closes"], report["starts"]
    )
