"""Pictures with matplotlib, which must be installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._analyses import Lab
    from ._linear import Campbell, Response
    from ._solution import Solution
    from ._sweep_table import Sweep


def _axes(ax: Any) -> Any:
    import matplotlib.pyplot as plt

    return plt.gca() if ax is None else ax


def lines(solution: Solution, *names: str, ax: Any = None) -> Any:
    """Columns over time; the label of the axis has their unit."""
    ax = _axes(ax)
    for name in names or solution.columns[1:2]:
        ax.plot(solution.t, solution[name], label=name)
    units = list(dict.fromkeys(solution.units[n] for n in names))
    ax.set_xlabel("t [s]")
    ax.set_ylabel(", ".join(f"[{u}]" for u in units))
    if len(names) == 1:
        ax.set_ylabel(f"{names[0]} [{units[0]}]")
    else:
        ax.legend()
    return ax


def path(solution: Solution, x: str, y: str, ax: Any = None) -> Any:
    """One column over another, with equal scales if the units are equal."""
    ax = _axes(ax)
    ax.plot(solution[x], solution[y])
    ax.set_xlabel(f"{x} [{solution.units[x]}]")
    ax.set_ylabel(f"{y} [{solution.units[y]}]")
    if solution.units[x] == solution.units[y]:
        ax.set_aspect("equal", "datalim")
    return ax


def strobe(solution: Solution, markers: list[str], count: int = 12, plane: str = "xy", ax: Any = None) -> Any:
    """Lines through markers (`crank.tip` …) at some instants, later ones darker."""
    ax = _axes(ax)
    a, b = plane[0], plane[1]
    rows = np.unique(np.linspace(0, len(solution) - 1, count).astype(int))
    for k, i in enumerate(rows):
        x = [solution[f"{m}.{a}"][i] for m in markers]
        y = [solution[f"{m}.{b}"][i] for m in markers]
        ax.plot(x, y, "o-", color="C0", alpha=0.15 + 0.85 * k / max(len(rows) - 1, 1))
    ax.set_aspect("equal", "datalim")
    ax.set_xlabel(f"{a} [m]")
    ax.set_ylabel(f"{b} [m]")
    return ax


def campbell(found: Campbell, ax: Any = None) -> Any:
    """Frequencies over the parameter."""
    ax = _axes(ax)
    for branch in found.frequencies:
        ax.plot(found.values, branch)
    ax.set_xlabel(found.parameter if not found.unit else f"{found.parameter} [{found.unit}]")
    ax.set_ylabel("frequency [Hz]")
    return ax


def lab(found: Lab, ax: Any = None) -> Any:
    """Error over time of computation: a work-precision diagram."""
    ax = _axes(ax)
    groups: dict[str, list[tuple[float, float]]] = {}
    for trial in found.trials:
        if trial["seconds"] and trial["error"]:
            label = f"{trial['formulation']}, {trial['drift']}"
            groups.setdefault(label, []).append((trial["seconds"], trial["error"]))
    for label, points in groups.items():
        x, y = zip(*sorted(points), strict=True)
        ax.loglog(x, y, "o-", label=label)
    ax.set_xlabel("time [s]")
    ax.set_ylabel("error")
    ax.legend(fontsize="x-small")
    return ax


def response(found: Response, ax: Any = None) -> Any:
    """Magnitudes over frequency, both logarithmic."""
    ax = _axes(ax)
    for k, name in enumerate(found.outputs):
        ax.loglog(found.frequencies, np.abs(found.values[:, k]), label=f"{name} [{found.units[k]}]")
    ax.set_xlabel("frequency [Hz]")
    ax.set_ylabel(f"per {found.input} [{found.input_unit}]")
    ax.legend()
    return ax


def response_curve(found: Sweep, result: str, over: str, ax: Any = None) -> Any:
    """A result of a sweep over a parameter, a line for every combination of the other parameters."""
    ax = _axes(ax)
    others = [name for name in found.parameters if name != over]
    groups: dict[tuple[Any, ...], list[int]] = {}
    for i in range(len(found)):
        groups.setdefault(tuple(found[name][i] for name in others), []).append(i)
    for values, rows in groups.items():
        rows = sorted(rows, key=lambda i: found[over][i])
        label = ", ".join(f"{name} = {x} {found.units[name]}".strip() for name, x in zip(others, values, strict=True))
        ax.plot(found[over][rows], found[result][rows], "o-", label=label)
    ax.set_xlabel(f"{over} [{found.units[over]}]" if found.units[over] else over)
    ax.set_ylabel(f"{result} [{found.units[result]}]" if found.units[result] else result)
    if others and len(groups) <= 12:
        ax.legend(fontsize="x-small")
    return ax
