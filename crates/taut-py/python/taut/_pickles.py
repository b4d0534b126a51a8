"""Pickles of models and solutions are read by the version of the package that wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _taut


def unpickled(state: Any, what: str, remedy: str, names: Sequence[str]) -> dict[str, Any]:
    """The content of a pickle, if this version wrote it and nothing is missing."""
    version = state.get("version") if isinstance(state, dict) else None
    if version != _taut.__version__:
        raise _taut.TautError(
            f"this {what} was pickled by version {version} of taut, and this is version {_taut.__version__}; {remedy}"
        )
    content = {name: value for name, value in state.items() if name != "version"}
    if content.keys() != set(names):
        differing = sorted(str(name) for name in content.keys() ^ set(names))
        raise _taut.TautError(f"this pickle of a {what} is damaged: {', '.join(differing)}; {remedy}")
    return content
