"""Values of Python as text of the model file format."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Field = Any
"""A value of a field: number, text with a unit, list, table, or a function of time."""

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def key(name: str) -> str:
    """A key, with quotes where it needs them."""
    return name if _BARE.match(name) else string(name)


def string(text: str) -> str:
    """A text in quotes."""
    escaped = "".join(_ESCAPES.get(c, c if c.isprintable() else f"\\U{ord(c):08X}") for c in text)
    return f'"{escaped}"'


def number(x: float) -> str:
    """A number that reads back with the same bits."""
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    text = repr(float(x))
    return text


def value(x: Field, path: tuple[str, ...] = (), functions: list[tuple[tuple[str, ...], Any]] | None = None) -> str:
    """A value of a field. A function of time becomes 0 here and goes to `functions` with its path.

    >>> value("25 mm"), value(0.1), value([1, 2.5]), value({"type": "rod", "length": "l"})
    ('"25 mm"', '0.1', '[1, 2.5]', '{ type = "rod", length = "l" }')
    """
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if isinstance(x, (float, np.floating)):
        return number(float(x))
    if isinstance(x, str):
        return string(x)
    if isinstance(x, np.ndarray):
        return value(x.tolist(), path, functions)
    if isinstance(x, Mapping):
        items = (f"{key(_name(k))} = {value(v, (*path, str(k)), functions)}" for k, v in x.items())
        inner = ", ".join(items)
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(x, Sequence):
        return "[" + ", ".join(value(v, (*path, str(i)), functions) for i, v in enumerate(x)) + "]"
    if callable(x) and functions is not None:
        functions.append((path, x))
        return "0"
    kind = type(x).__name__
    raise TypeError(f"`{'.'.join(path)}` is a {kind}; a field is a number, a text, a list or a table")


def _name(k: object) -> str:
    if isinstance(k, str):
        return k
    raise TypeError(f"`{k!r}` is a {type(k).__name__}; the name of a field is a text")


def table(header: str, fields: Mapping[str, Field], functions: list[tuple[tuple[str, ...], Any]]) -> str:
    """A table with a header and one line per field."""
    lines = [f"[{header}]"]
    lines += [f"{key(name)} = {value(x, (name,), functions)}" for name, x in fields.items()]
    return "\n".join(lines) + "\n"


def override(x: Field) -> str:
    """A value as `--set` takes it: a text needs no quotes."""
    if isinstance(x, str):
        if not x.strip():
            raise ValueError("the value is empty")
        return x.strip()
    return value(x)


Function = Callable[..., Any]
