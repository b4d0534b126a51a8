"""The viewer in a notebook: one frame that needs no network."""

from __future__ import annotations

import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from . import _taut

if TYPE_CHECKING:
    from ._model import Model
    from ._solution import Solution

_BUDGET = 6_000_000
"""Bytes of a run in a page."""
_FRAMES = 200


def page(solution: Solution) -> str:
    """The page of the viewer with a run."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        solution.save(run, format="npz")
        return _taut.page(str(run), _BUDGET)


def frame(solution: Solution) -> str:
    """The page as an element of a notebook."""
    try:
        text = page(solution)
    except (_taut.TautError, OSError) as e:
        return f"<p>no animation: {escape(str(e))}</p>"
    return f'<iframe style="width:100%;height:480px;border:0" sandbox="allow-scripts" srcdoc="{escape(text, quote=True)}"></iframe>'


def viewer(model: Model) -> str:
    """The animated model: a short run of it."""
    from ._analyses import simulate

    first, last = model._compiled().span
    every = (last - first) / _FRAMES
    try:
        return frame(simulate(model, every=every, wall_clock=2, dense=False, set={"outputs.columns": "all"}))
    except _taut.TautError as e:
        return f"<p>no animation: {escape(str(e))}</p>"
