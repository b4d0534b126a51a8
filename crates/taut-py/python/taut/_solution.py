"""Results of a run: shaped like those of SciPy, with columns by name."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _taut
from ._model import Model, loads
from ._pickles import unpickled
from ._records import Extremes, Reactions, Record, number

Array = NDArray[np.float64]
_PICKLED = ("columns", "about", "events", "final_state")
_STATUS = {"finished": 0, "event": 1, "interrupted": 2, "underway": 2}


class Solution:
    """The result of a run or another analysis in time.

    `t`, `y`, `success`, `message`, `status`, `t_events` and `sol` are those of `scipy.integrate.solve_ivp`. `sol["elbow.fx"]` is a column;
    `columns` lists them, `units` and `meanings` describe them. `status` is 0 at the end, 1 after an event, 2 after Ctrl-C, −1 if the run
    stopped.
    """

    def __init__(
        self,
        columns: Sequence[tuple[str, str, str, Array]],
        about: Mapping[str, Any],
        *,
        model: Model | None = None,
        compiled: _taut.Compiled | None = None,
        events: Sequence[str] = (),
        dense: _taut.DenseOutput | None = None,
        final_state: _taut.State | None = None,
    ) -> None:
        self._data = list(columns)
        self._index = {name: i for i, (name, *_) in reversed(list(enumerate(self._data)))}
        self._about = dict(about)
        self._model, self._own = model, compiled
        self._event_names = list(events)
        self._dense = dense
        self.final_state = final_state
        outcome = about.get("outcome", "finished")
        self.outcome: str = outcome if isinstance(outcome, str) else next(iter(outcome), "")
        self.success: bool = bool(about.get("success"))
        self.message: str = str(about.get("message", ""))
        self.status: int = _STATUS.get(self.outcome, -1)
        self.verdict: str | None = about.get("verdict")
        self.stats: Record = Record(about.get("statistics") or {})
        self.elapsed: float = float(about.get("elapsed", float("nan")))

    @classmethod
    def _of(cls, raw: _taut.RawSolution, model: Model | None, compiled: _taut.Compiled, events: Sequence[str] = ()) -> Solution:
        about = {
            "outcome": raw.outcome, "message": raw.message, "success": raw.success, "verdict": raw.verdict,
            "warnings": raw.warnings, "events": raw.events, "statistics": raw.statistics, "elapsed": raw.elapsed,
            "extremes": raw.extremes, "time_step": raw.time_step,
        }  # fmt: skip
        return cls(
            raw.columns, about, model=model, compiled=compiled, events=events, dense=raw.dense, final_state=raw.final_state
        )

    # Columns

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return [name for name, *_ in self._data]

    @property
    def units(self) -> dict[str, str]:
        """Units by name of the column."""
        return {name: unit for name, unit, *_ in self._data}

    @property
    def meanings(self) -> dict[str, str]:
        """Descriptions by name of the column."""
        return {name: meaning for name, _, meaning, _ in self._data}

    def __getitem__(self, name: str) -> Array:
        try:
            return self._data[self._index[name]][3]
        except KeyError:
            near = get_close_matches(str(name), self.columns, 1)
            hint = f" (did you mean `{near[0]}`?)" if near else ""
            raise KeyError(f"the solution has no column `{name}`{hint}; `columns` lists all") from None

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __len__(self) -> int:
        return len(self._data[0][3]) if self._data else 0

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    # The shape of SciPy's result

    @property
    def t(self) -> Array:
        """Times of the outputs, s."""
        return self._data[0][3] if self._data else np.empty(0)

    @property
    def state_names(self) -> list[str]:
        """Names of the rows of `y`: coordinates, then velocities."""
        q, v = self._compiled().state_names
        return [name for name, _ in (*q, *v)]

    @property
    def y(self) -> Array:
        """Coordinates and velocities, one column per output."""
        return self._states(self)

    def _states(self, rows: Solution) -> Array:
        missing = [n for n in self.state_names if n not in rows._index]
        if missing:
            raise _taut.TautError(f"`y` needs the columns of the state; `{missing[0]}` is not recorded (outputs.columns)")
        return np.array([rows[n] for n in self.state_names])

    @property
    def events(self) -> list[dict[str, Any]]:
        """All events in order of time: name, t, what, impulse, lost."""
        return list(self._about.get("events") or [])

    @property
    def t_events(self) -> list[Array]:
        """Times of the events given to `simulate`, in their order."""
        return [self.times_of(name) for name in self._event_names]

    def times_of(self, name: str) -> Array:
        """Times of an event or of the events of an element, s."""
        return np.array([e["t"] for e in self.events if e["name"] == name], dtype=float)

    @property
    def nfev(self) -> int:
        """Evaluations of the right-hand side."""
        return int(self.stats.evaluations)

    def at(self, t: ArrayLike) -> Solution:
        """All columns at other times of the run, from its dense output, on the constraints."""
        if self._dense is None:
            raise _taut.TautError("this result has no dense output; use simulate(..., dense=True)")
        times = np.atleast_1d(np.asarray(t, dtype=float)).ravel()
        sorted_times, back = np.unique(times, return_inverse=True)
        rows = self._dense.at(sorted_times.tolist())
        columns = [(name, unit, meaning, values[back]) for name, unit, meaning, values in rows]
        return Solution(columns, self._about, model=self._model, compiled=self._own, final_state=self.final_state)

    def __call__(self, t: ArrayLike) -> Array:
        """Coordinates and velocities at any time of the run; one column per time."""
        y = self._states(self.at(t))
        return y[:, 0] if np.ndim(t) == 0 else y

    @property
    def sol(self) -> Solution:
        """The dense output: `sol.sol(t)` is `sol(t)`."""
        return self

    # Mechanics

    @property
    def reactions(self) -> Reactions:
        """Reactions by the name of the constraint."""
        return Reactions(self)

    def _family(self, prefix: str) -> Record:
        found = {n[len(prefix) :]: self[n] for n in self.columns if n.startswith(prefix)}
        return Record({k: v for k, v in found.items() if "." not in k})

    @property
    def energy(self) -> Record:
        """Kinetic and potential energy, work and balance, J."""
        return self._family("energy.")

    @property
    def residuals(self) -> Record:
        """Largest residuals of position, velocity and acceleration."""
        return self._family("residual.")

    def extremes(self) -> Extremes:
        """Largest reactions, driving forces and residuals with their times, peaks between the rows included."""
        return Extremes(self._about.get("extremes") or {})

    @property
    def warnings(self) -> list[str]:
        """Warnings of the run and of its audit."""
        return [f"at t = {number(w['t'])} s: {w['message']}" for w in self._about.get("warnings") or []]

    # Conversions

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """All columns for Arrow, without a copy."""
        return _taut.arrow_stream([(n, u, np.ascontiguousarray(x)) for n, u, _, x in self._data])

    def to_numpy(self) -> dict[str, Array]:
        """The columns as a dictionary of arrays."""
        return {name: x for name, _, _, x in self._data}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the time as its index; `attrs["units"]` has the units."""
        import pandas as pd

        frame = pd.DataFrame({n: x for n, _, _, x in self._data[1:]}, index=pd.Index(self.t, name="t"))
        frame.attrs["units"] = self.units
        return frame

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        import polars as pl

        return pl.DataFrame(self.to_numpy())

    def to_arrow(self) -> Any:
        """A pyarrow.Table on the same memory; units are metadata of the fields."""
        import pyarrow as pa

        return pa.table(self)

    def to_xarray(self) -> Any:
        """An xarray.Dataset over the time, with units and descriptions."""
        import xarray as xr

        def one(unit: str, meaning: str, x: Array) -> Any:
            return ("t", x, {"units": unit, "long_name": meaning})

        data = {n: one(u, m, x) for n, u, m, x in self._data[1:]}
        return xr.Dataset(data, coords={"t": ("t", self.t, {"units": "s"})})

    def to_npz(self, path: str | os.PathLike[str]) -> None:
        """Writes the columns for `numpy.load`."""
        np.savez(os.fspath(path), allow_pickle=False, **self.to_numpy())

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the columns as text with names and units in the first line."""
        self._table_file(path, "csv")

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the columns as one Parquet file."""
        self._table_file(path, "parquet")

    def _table_file(self, path: str | os.PathLike[str], format: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            self.save(run, format=format)
            table = run / f"table.{format}"
            parts = sorted(table.glob("part-*")) if table.is_dir() else [table]
            if len(parts) > 1:
                import pyarrow.parquet as pq

                pq.write_table(self.to_arrow(), os.fspath(path))
                return
            shutil.copyfile(parts[0], path)

    def save(self, folder: str | os.PathLike[str], *, format: str = "csv", replace: bool = False) -> None:
        """Writes a folder of results as `taut run` does; `taut.read` and the commands `taut plot`, `taut view` read it."""
        facts = (
            json.dumps(self._about.get("outcome")), json.dumps(self._about.get("statistics") or {}),
            json.dumps(self.verdict), json.dumps(self._about.get("warnings") or []), json.dumps(self.events),
            self._about.get("time_step"),
        )  # fmt: skip
        _taut.write_run(self._compiled(), os.fspath(folder), format, replace, self._data, facts)

    # Pictures

    def html(self) -> str:
        """The page of the viewer with this run, as one HTML text that needs no network."""
        from ._html import page

        return page(self)

    def view(self) -> None:
        """Opens the run in the browser."""
        import webbrowser

        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as f:
            f.write(self.html())
        webbrowser.open(Path(f.name).as_uri())

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Plots columns over time with matplotlib and returns the axes."""
        from .plots import lines

        return lines(self, *names, ax=ax)

    # Python

    def _compiled(self) -> _taut.Compiled:
        if self._own is None:
            text = self._about.get("model")
            if not isinstance(text, str):
                raise _taut.TautError("this result does not know its model")
            self._own = loads(text)._compiled()
        return self._own

    def _compiled_names(self) -> list[str]:
        return [c["name"] for c in self._compiled().elements()["constraints"]]

    def __getstate__(self) -> dict[str, Any]:
        about = dict(self._about)
        if self._own is not None:
            try:
                about["model"] = self._own.to_toml()
            except _taut.TautError:
                about["model"] = None
        return {
            "columns": self._data, "about": about, "events": self._event_names, "final_state": self.final_state,
            "version": _taut.__version__,
        }  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        known = unpickled(state, "solution", "save runs as folders (`sol.save`) to keep them", _PICKLED)
        Solution.__init__(
            self, known["columns"], known["about"], events=known["events"], final_state=known["final_state"]
        )

    def __copy__(self) -> Solution:
        # Pickles have no dense output; copies in the same process share it.
        return Solution(
            self._data, self._about, model=self._model, compiled=self._own, events=self._event_names, dense=self._dense,
            final_state=self.final_state,
        )  # fmt: skip

    def __deepcopy__(self, memo: dict[int, Any]) -> Solution:
        new = self.__copy__()
        new._data = deepcopy(self._data, memo)
        new._about = deepcopy(self._about, memo)
        return new

    def __repr__(self) -> str:
        end = f"{len(self)} rows, {len(self._data)} columns"
        if len(self):
            end += f", t = {number(self.t[0])} … {number(self.t[-1])} s"
        verdict = f"{self.verdict}; " if self.verdict else ""
        return f"Solution({verdict}{self.message}; {end})"

    def _repr_html_(self) -> str:
        from html import escape

        from ._html import frame

        return f"<pre>{escape(repr(self))}</pre>{frame(self)}"


def read(folder: str | os.PathLike[str]) -> Solution:
    """Reads a folder of results, written by `taut run` or `Solution.save`; parts of a table are joined."""
    columns, about = _taut.read_run(os.fspath(folder))
    return Solution(columns, about)
