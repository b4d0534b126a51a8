"""The table of a sweep: one row per member."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _taut

Row = tuple[int, list[float | str], list[float], str, str | None, int, str, float]
"""Member, parameters, values, status, verdict, steps, message, seconds."""


class Sweep:
    """The results of a sweep: one row per member, sorted.

    `found["elbow.f.max"]` is a column. There are the `parameters`, in the units they were given in, the `results`, in SI units, and
    `member`, `status` (finished, stopped, failed), `verdict`, `steps`, `message`. Values that a member does not have are NaN.
    """

    def __init__(
        self,
        title: str,
        parameters: Sequence[tuple[str, str]],
        columns: Sequence[tuple[str, str, str]],
        members: int,
        rows: Sequence[Row],
        interrupted: bool,
    ) -> None:
        self.title = title
        self.parameters = [name for name, _ in parameters]
        self.results = [name for name, *_ in columns]
        self.members = members
        self.formulas = {name: formula for name, _, formula in columns}
        self.units = {**dict(parameters), **{name: unit for name, unit, _ in columns}}
        self.complete = not interrupted and len(rows) == members
        self._rows = list(rows)
        self._data = self._columns()

    def _columns(self) -> dict[str, NDArray[Any]]:
        rows = self._rows
        data: dict[str, NDArray[Any]] = {"member": np.array([row[0] for row in rows], dtype=np.int64)}
        for i, name in enumerate(self.parameters):
            values = [row[1][i] for row in rows]
            numbers = all(isinstance(x, float) for x in values)
            data[name] = np.array(values, dtype=float if numbers else object)
        for i, name in enumerate(self.results):
            data[name] = np.array([row[2][i] for row in rows], dtype=float)
        data["status"] = np.array([row[3] for row in rows], dtype=object)
        data["verdict"] = np.array([row[4] or "" for row in rows], dtype=object)
        data["steps"] = np.array([row[5] for row in rows], dtype=np.int64)
        data["message"] = np.array([row[6] for row in rows], dtype=object)
        return data

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return list(self._data)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Wall-clock time of every member, s: the only numbers that differ between two identical sweeps."""
        return np.array([row[7] for row in self._rows])

    @property
    def failed(self) -> NDArray[np.int64]:
        """Numbers of the members that failed or stopped early; `message` says why."""
        found: NDArray[np.int64] = self["member"][self["status"] != "finished"]
        return found

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return self._data[name]
        except KeyError:
            near = get_close_matches(str(name), self.columns, 1)
            hint = f" (did you mean `{near[0]}`?)" if near else ""
            raise KeyError(f"the sweep has no column `{name}`{hint}; `columns` lists all") from None

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __len__(self) -> int:
        return len(self._rows)

    def _ipython_key_completions_(self) -> list[str]:
        return self.columns

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """The columns as a dictionary of arrays."""
        return dict(self._data)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the member as its index; `attrs["units"]` has the units."""
        import pandas as pd

        frame = pd.DataFrame(self._data).set_index("member")
        frame.attrs["units"] = self.units
        return frame

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """The table as text, the same as `table.csv` of the command; also writes it to a file."""
        text = _taut.sweep_csv(self.parameters, self.results, self._rows)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def plot(self, result: str | None = None, over: str | None = None, *, ax: Any = None) -> Any:
        """Plots a result over a parameter with matplotlib, a line for every combination of the others, and returns the axes."""
        from .plots import response_curve

        return response_curve(self, result or self.results[0], over or self.parameters[0], ax)

    def __repr__(self) -> str:
        left = "" if self.complete else f" of {self.members}"
        failed = len(self.failed)
        return f"Sweep({self.title!r}: {len(self)}{left} members, {failed} failed; {', '.join((*self.parameters, *self.results))})"

    def _repr_html_(self) -> str:
        from html import escape

        try:
            return f"<pre>{escape(repr(self))}</pre>{self.to_pandas()._repr_html_()}"
        except ImportError:
            return f"<pre>{escape(repr(self))}</pre>"
