"""Parts of a result: named values, reactions, extremes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._solution import Solution

Array = NDArray[np.float64]


class Record:
    """Named values, as attributes and by name."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no `{name}`; there are {', '.join(self.__dict__)}")

    def __getitem__(self, name: str) -> Any:
        try:
            return self.__dict__[name]
        except KeyError:
            raise KeyError(f"no `{name}`; there are {', '.join(self.__dict__)}") from None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={short(v)}' for k, v in self.__dict__.items())})"


class Reaction(Record):
    """Force and moment of a constraint on its last marker, in world axes; one row per output."""

    force: Array
    moment: Array | None
    determinacy: str | None
    """`unique`, or what of it is not: where constraints are redundant, joints trade load. None if it was not examined."""
    unique: bool | None
    """Whether all components are unique throughout the run; none if it is not known."""


class Reactions(Mapping[str, Reaction]):
    """Reactions by the name of the constraint: `sol.reactions["elbow"].force`."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution
        names = solution.columns
        known = set(names)
        stems = (n[:-3] for n in names if n.endswith(".fx"))
        constraints = set(solution._compiled_names())
        self._names = [s for s in stems if s.split(".")[0] in constraints and f"{s}.fz" in known]

    def __getitem__(self, name: str) -> Reaction:
        if name not in self._names:
            raise KeyError(f"no reaction `{name}`; there are {', '.join(self._names) or 'none'}")

        def vector(short: str) -> Array | None:
            names = [f"{name}.{short}{axis}" for axis in "xyz"]
            if not all(n in self._solution._index for n in names):
                return None
            return np.column_stack([self._solution[n] for n in names])

        peaks = self._solution._about.get("extremes") or {}
        label = next((r.get("determinacy") for r in peaks.get("reactions", []) if r["name"] == name), None)
        unique = None if label in (None, "not examined") else label == "unique"
        return Reaction({"force": vector("f"), "moment": vector("m"), "determinacy": label, "unique": unique})

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"reactions: {', '.join(self._names) or 'none'}"

    def _ipython_key_completions_(self) -> list[str]:
        return self._names


class Extremes(dict[str, Any]):
    """Largest reactions, driving forces, residuals and energies, each with its time."""

    def __repr__(self) -> str:
        lines = []
        if self.get("reactions"):
            where = "" if self.get("of") == "motion" else " (at output rows)"
            lines.append(f"{'reactions' + where:<28}{'largest force [N]':>20}{'at [s]':>12}{'largest moment [N m]':>24}{'at [s]':>12}")
            for r in self["reactions"]:
                f, m = r["force"], r["moment"]
                line = f"  {r['name']:<26}{number(f['value']):>20}{number(f['t']):>12}"
                if m and m["value"] is not None and f["value"] is not None and m["value"] > 1e-9 * f["value"]:
                    line += f"{number(m['value']):>24}{number(m['t']):>12}"
                lines.append(line)
        for d in self.get("drivers", []):
            a, b = d["smallest"], d["largest"]
            lines.append(f"  {d['name']:<26}{number(a['value'])} to {number(b['value'])} {d['unit']}")
        for name, level in self.get("residuals", {}).items():
            lines.append(f"residual of {name:<16}{number(level['value'])} ({level['row']})")
        return "\n".join(lines) or "no extremes"


def number(x: float | None) -> str:
    """Six digits."""
    return "" if x is None else f"{float(x):.6g}"


def short(x: Any) -> str:
    """An array by its shape, anything else in full."""
    return f"array{x.shape}" if isinstance(x, np.ndarray) else repr(x)
