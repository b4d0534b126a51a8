"""A model as an environment of Gymnasium, which must be installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ._model import Field, Model, as_model
from ._simulation import Simulation

Observation = NDArray[np.float64]
Reward = Callable[[Observation, NDArray[np.float64]], float]


class Env(gymnasium.Env[Observation, NDArray[np.float64]]):
    """A model with `actions` (its variables) and `observations` (its columns), advanced by `dt` per step.

    `reward(observation, action)` and `terminated(observation)` judge; `randomize(rng)` returns changes of the model for each reset, as
    `{"pole.mass": 0.1}`. An episode that the model cannot continue is terminated, and `info["message"]` says why. Environments are
    independent: `gymnasium.vector.SyncVectorEnv([lambda: Env(...)] * n)` runs many.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        model: Model | str,
        *,
        actions: Mapping[str, tuple[float, float]],
        observations: Sequence[str],
        dt: float,
        duration: float = 10.0,
        reward: Reward,
        terminated: Callable[[Observation], bool] | None = None,
        randomize: Callable[[np.random.Generator], Mapping[str, Field]] | None = None,
        **settings: Any,
    ) -> None:
        self.model = as_model(model)
        self._actions, self._names = dict(actions), list(observations)
        self._dt, self._duration = float(dt), float(duration)
        self._reward, self._judge, self._randomize = reward, terminated, randomize
        self._settings = settings
        for name in self._actions:
            self.model.variables[name]
        low, high = (np.array([limit[k] for limit in self._actions.values()], dtype=np.float64) for k in (0, 1))
        self._low, self._high = low, high
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        count = len(self._names)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (count,), np.float64)
        self._sim: Simulation | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode; `options["set"]` changes the model."""
        super().reset(seed=seed)
        changes: dict[str, Field] = dict(self._randomize(self.np_random) if self._randomize else {})
        changes.update((options or {}).get("set", {}))
        settings = {"columns": "state", **self._settings}
        columns = settings.pop("columns")
        wanted = "state" if all(n in self.model.coordinates or n in self.model.velocities for n in self._names) else "all"
        changes.setdefault("outputs.columns", columns if columns != "state" else wanted)
        span = self._duration + self._dt
        self._sim = Simulation(self.model, t=span, every=span, set=changes, **settings)
        self._count, self._begin = 0, self._sim.t
        return self._sim.values(self._names), {"t": self._sim.t}

    def step(self, action: NDArray[np.float64]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Applies an action for the time `dt`."""
        if self._sim is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        used = np.clip(np.asarray(action, dtype=np.float64).reshape(-1), self._low, self._high)
        self._sim.inputs.update(dict(zip(self._actions, used, strict=True)))
        self._count += 1
        alive = self._sim.advance(self._begin + self._count * self._dt)
        seen = self._sim.values(self._names)
        reward = float(self._reward(seen, used))
        ended = not alive or (self._judge is not None and bool(self._judge(seen)))
        truncated = not ended and self._count * self._dt >= self._duration - 1e-12
        return seen, reward, ended, truncated, {"t": self._sim.t, "message": self._sim.message}
