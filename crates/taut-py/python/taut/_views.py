"""What a model contains: its elements by name, the names of its state, its equations."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from . import _taut
from ._elements import Elements


class ModelViews:
    """The elements of a model, read from the model that was built."""

    @abstractmethod
    def _compiled(self) -> _taut.Compiled:
        """The model that was read and built."""

    @property
    def title(self) -> str:
        """The title."""
        return self._compiled().title

    @property
    def warnings(self) -> list[str]:
        """Warnings about the model, as the command prints them."""
        return [str(w["text"]) for w in self._compiled().warnings]

    def _section(self, word: str, family: str, *sections: str) -> Elements:
        items = self._compiled().elements()[family]
        return Elements(word, [x for x in items if not sections or x.get("section") in sections])

    @property
    def bodies(self) -> Elements:
        """The bodies by name."""
        return self._section("body", "bodies")

    @property
    def joints(self) -> Elements:
        """The joints by name."""
        return self._section("joint", "constraints", "joint")

    @property
    def drivers(self) -> Elements:
        """The drivers by name."""
        return self._section("driver", "constraints", "driver")

    @property
    def constraints(self) -> Elements:
        """All constraints by name, joints and drivers included."""
        return self._section("constraint", "constraints")

    @property
    def forces(self) -> Elements:
        """The forces by name."""
        return self._section("force", "forces")

    @property
    def markers(self) -> Elements:
        """The markers by name."""
        return self._section("marker", "markers")

    @property
    def measures(self) -> Elements:
        """The measures by name."""
        return self._section("measure", "measures")

    @property
    def events(self) -> Elements:
        """The events of the model file by name."""
        return self._section("event", "events")

    @property
    def variables(self) -> Elements:
        """The numbers that events and `Simulation.inputs` change."""
        items = self._compiled().elements()["bodies"]
        return Elements("variable", [x for x in items if x["type"] == "variable"])

    @property
    def initial_state(self) -> _taut.State:
        """The state as given, not yet assembled."""
        return self._compiled().initial_state

    @property
    def coordinates(self) -> list[str]:
        """Names of the entries of q."""
        return [name for name, _ in self._compiled().state_names[0]]

    @property
    def velocities(self) -> list[str]:
        """Names of the entries of v."""
        return [name for name, _ in self._compiled().state_names[1]]

    def equations(self, state: _taut.State | None = None) -> dict[str, Any]:
        """M, A, f, b, φ, φ̇ and the solution v̇, λ of M v̇ = f + Aᵀ λ, A v̇ = b at a state (default: the given start)."""
        return self._compiled().equations(state)
