"""Fields of elements and changes of a model, as the reader takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _taut, _toml

Field = Any


def user_event(name: str, function: Any, terminal: Any = None, direction: Any = None) -> tuple[str, Any, float, int]:
    """An event as the engine takes it; `terminal` and `direction` may be attributes of the function, as in SciPy."""
    terminal = getattr(function, "terminal", 0) if terminal is None else terminal
    direction = getattr(function, "direction", 0) if direction is None else direction
    words = {"rising": 1.0, "falling": -1.0, "either": 0.0}
    return (name, function, float(words.get(direction, direction) or 0.0), int(terminal or 0))


def given(**fields: Field) -> dict[str, Field]:
    """Fields that are given."""
    return {name: x for name, x in fields.items() if x is not None}


def marker_names(name: str, fields: Mapping[str, Field]) -> list[str]:
    """The markers of a function."""
    markers = fields.get("markers")
    if isinstance(markers, str):
        return [markers]
    if isinstance(markers, (list, tuple)) and markers and all(isinstance(m, str) for m in markers):
        return list(markers)
    raise _taut.ModelError(f"`{name}`: a function needs `markers`, the names of the markers whose motion it reads")


def only(name: str, fields: Mapping[str, Field], known: set[str]) -> None:
    """Rejects other fields."""
    for word in fields:
        if word not in known:
            raise _taut.ModelError(f"`{name}`: a function has no field `{word}`; it has {', '.join(sorted(known))}")


def texts(values: Mapping[str, Field]) -> tuple[tuple[str, str], ...]:
    """Changes as `--set` takes them."""
    if not isinstance(values, Mapping):
        raise TypeError('changes are a table of names and values, for example {"crank.mass": "2 kg"}')
    found = []
    for name, x in values.items():
        if not isinstance(name, str) or not name.strip():
            raise TypeError(f"the name of a parameter or field is a text; {name!r} is none")
        try:
            found.append((name.strip(), _toml.override(x)))
        except (TypeError, ValueError) as e:
            raise _taut.ModelError(f"`{name}` cannot be set: {e}") from None
    return tuple(found)


def joined(blocks: list[str]) -> list[str]:
    """Tables with the same header are one table."""
    markers = [b for b in blocks if b.startswith("[markers]\n")]
    if len(markers) < 2:
        return blocks
    whole = "[markers]\n" + "".join(b.removeprefix("[markers]\n") for b in markers)
    return [b for b in blocks if b not in markers] + [whole]


def copied(x: Any) -> Any:
    """A copy of lists and tables; functions and texts are shared."""
    if isinstance(x, dict):
        return {k: copied(v) for k, v in x.items()}
    return list(x) if isinstance(x, list) else x
