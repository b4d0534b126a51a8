"""A run that the caller drives, for controllers and learning."""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _taut
from ._model import Field, Model, as_model
from ._solution import Solution


class Inputs(MutableMapping[str, float]):
    """The variables of a running model: `sim.inputs["torque"] = 2.0` holds until it is set again."""

    def __init__(self, stepper: _taut.Stepper, values: dict[str, float]) -> None:
        self._stepper, self._values = stepper, values

    def __getitem__(self, name: str) -> float:
        try:
            return self._values[name]
        except KeyError:
            raise KeyError(f"no variable `{name}`; there are {', '.join(self._values) or 'none'}") from None

    def __setitem__(self, name: str, value: float) -> None:
        self.update({name: value})

    def update(self, *args: Any, **values: Any) -> None:
        """Sets several variables at the same moment."""
        new = {str(k): float(v) for k, v in dict(*args, **values).items()}
        self._stepper.set_variables(list(new.items()))
        self._values.update(new)

    def __delitem__(self, name: str) -> None:
        raise TypeError("a variable of a model cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Inputs({self._values})"


class Simulation:
    """A run step by step.

    `step` makes steps of the integrator, `advance` goes to a time that is met exactly. Between two calls, `inputs` may be changed and
    any column can be read: `sim["elbow.fx"]`.

    >>> import taut
    >>> m = taut.Model().variable("push", 0)
    >>> _ = m.body("cart", type="point_mass", mass=2)
    >>> _ = m.force("drive", type="formula", coordinate="cart.x", force="push.value")
    >>> sim = taut.Simulation(m, t=2)
    >>> _ = sim.advance(1)
    >>> sim.inputs["push"] = 4
    >>> _ = sim.advance(2)
    >>> round(sim["cart.x"], 9)
    1.0
    """

    def __init__(
        self,
        model: Model | str | os.PathLike[str],
        t: Field = None,
        *,
        state: _taut.State | None = None,
        events: Sequence[Any] = (),
        **settings: Any,
    ) -> None:
        from ._analyses import _events, run_settings

        changes = run_settings(t, **settings)
        listed, names = _events(as_model(model), events)
        compiled = listed.model._compiled(changes)
        self._begin(listed.model, compiled, _taut.Stepper(compiled, listed.functions, state), names)

    @classmethod
    def _start(
        cls, model: Model, compiled: _taut.Compiled, events: list[tuple[str, Any, float, int]], state: _taut.State | None
    ) -> Simulation:
        new = cls.__new__(cls)
        new._begin(model, compiled, _taut.Stepper(compiled, events, state), [])
        return new

    def _begin(self, model: Model, compiled: _taut.Compiled, stepper: _taut.Stepper, names: list[str]) -> None:
        self.model, self._compiled, self._stepper, self._event_names = model, compiled, stepper, names
        self._q = {name: i for i, (name, _) in enumerate(compiled.state_names[0])}
        self._v = {name: i for i, (name, _) in enumerate(compiled.state_names[1])}
        bodies = compiled.elements()["bodies"]
        q = stepper.state.q
        variables = {b["name"]: b["coordinates"][0] for b in bodies if b["type"] == "variable"}
        self.inputs = Inputs(stepper, {name: float(q[self._q[c]]) for name, c in variables.items()})

    @property
    def t(self) -> float:
        """The present time, s."""
        return self._stepper.t

    @property
    def t_end(self) -> float:
        """The end of the run, s."""
        return self._stepper.t_end

    @property
    def state(self) -> _taut.State:
        """The present state."""
        return self._stepper.state

    @property
    def underway(self) -> bool:
        """Whether the run can go on."""
        return self._stepper.underway

    @property
    def message(self) -> str:
        """Why the run ended."""
        return self._stepper.message

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return [name for name, _, _ in self._stepper.columns]

    def step(self, count: int = 1) -> bool:
        """Makes steps of the integrator; false if the run has ended."""
        if count < 1:
            raise ValueError(f"count is {count}; make at least one step")
        return self._stepper.step(count)

    def advance(self, t: float) -> bool:
        """Goes to a time, which is met exactly, or to the end; false if the run has ended."""
        return self._stepper.advance(float(t))

    def run(self) -> Solution:
        """Goes to the end and returns the rows."""
        self._stepper.advance(self.t_end)
        return self.solution()

    def __getitem__(self, name: str) -> float:
        return float(self.values([name])[0])

    def values(self, names: Sequence[str]) -> NDArray[np.float64]:
        """The present values of columns. Coordinates and velocities need no evaluation."""
        state = None
        found = np.empty(len(names))
        others = []
        for k, name in enumerate(names):
            place = self._q.get(name, self._v.get(name))
            if place is None:
                others.append(k)
                continue
            state = state or self.state
            found[k] = (state.q if name in self._q else state.v)[place]
        if others:
            found[others] = self._stepper.values([names[k] for k in others])
        return found

    def solution(self, events: Sequence[str] = ()) -> Solution:
        """The rows so far."""
        return Solution._of(self._stepper.solution(), self.model, self._compiled, list(events) or self._event_names)

    def __repr__(self) -> str:
        return f"Simulation(t = {self.t:.6g} of {self.t_end:.6g} s, {self.message})"
