"""What a sweep is asked to do, as the reader of `--vary`, `--cases`, `--sample` and `--keep` takes it."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _taut, _toml
from ._solution import Solution

Field = Any
Measures = Mapping[str, Any] | Sequence[str] | str
"""Formulas or functions of the solution by name; formulas in a list; one formula."""


def positive(name: str, x: int) -> int:
    """A whole number from 1."""
    if isinstance(x, bool) or not isinstance(x, (int, np.integer)) or x < 1:
        raise _taut.TautError(f"{name} is {x!r}; give a whole number from 1")
    return int(x)


def _values(name: str, values: Field) -> str:
    """Values as `--vary` takes them."""
    if isinstance(values, str):
        return values
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        values = [values]
    pieces = [_piece(name, x) for x in values]
    if not pieces:
        raise _taut.TautError(f"`{name}` has no values")
    return ", ".join(pieces)


def _piece(name: str, x: Field) -> str:
    if isinstance(x, str):
        bare = x.strip()
        depth = 0
        for c in bare:
            depth += (c in "([{") - (c in ")]}")
            if c in ',:"' and depth == 0:
                raise _taut.TautError(f"`{name}`: the text {x!r} in a list cannot contain `{c}`")
        return bare
    try:
        return _toml.value(x)
    except TypeError as e:
        raise _taut.TautError(f"`{name}`: {e}") from None


def variations(vary: Mapping[str, Field]) -> list[str]:
    """Names and values as `--vary` takes them."""
    if not isinstance(vary, Mapping):
        raise TypeError('what is varied is a table of names and values, for example {"crank": "80 mm:120 mm:41"}')
    for name in vary:
        if not isinstance(name, str) or "=" in name:
            raise TypeError(f"the name of a parameter or field is a text; {name!r} is none")
    return [f"{name}={_values(name, values)}" for name, values in vary.items()]


def one_variation(over: Mapping[str, Field]) -> str:
    """The only entry, as `--over` takes it."""
    listed = variations(over)
    if len(listed) != 1:
        raise TypeError('`over` has one parameter, for example {"speed": "0 rpm:9000 rpm:40"}')
    return listed[0]


def case_table(cases: Any) -> tuple[str, str] | None:
    """Path and content of a table of cases."""
    if cases is None:
        return None
    if isinstance(cases, (str, os.PathLike)):
        return (os.fspath(cases), Path(cases).read_text(encoding="utf-8"))
    table = {str(name): list(cases[name]) for name in cases}
    if len({len(column) for column in table.values()}) > 1:
        raise _taut.TautError("cases: the columns have different lengths")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    writer.writerows([_toml.override(x) for x in row] for row in zip(*table.values(), strict=True))
    return ("cases", out.getvalue())


def sampling(sample: str | None, count: int | None, seed: int) -> tuple[str, int, int] | None:
    """Method, number of samples and seed."""
    if (sample is None) != (count is None):
        raise TypeError("`sample` (the method) and `count` (the number of samples) belong together")
    if sample is None or count is None:
        return None
    if not 0 <= seed < 2**64:
        raise _taut.TautError(f"seed is {seed}; give a whole number from 0")
    return (sample, positive("count", count), int(seed))


def measures(measure: Measures | None) -> tuple[list[str], dict[str, Callable[[Solution], Any]]]:
    """Formulas as `--keep` takes them, and functions."""
    if measure is None:
        return [], {}
    if isinstance(measure, str):
        return [measure], {}
    if not isinstance(measure, Mapping):
        if not all(isinstance(x, str) for x in measure):
            raise TypeError("a list of measures has formulas; give functions a name: {\"peak\": function}")
        return list(measure), {}
    keep, functions = [], {}
    for name, x in measure.items():
        if callable(x):
            functions[str(name)] = x
        elif isinstance(x, str):
            keep.append(x if name == x else f"{name} = {x}")
        else:
            raise TypeError(f"measure `{name}` is a {type(x).__name__}; give a formula or a function of the solution")
    # Without formulas the verdict alone is kept, not the extremes.
    return keep or ["verdict"], functions
