"""Every notebook runs and draws."""

import os
import runpy
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.py"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("scipy")
    plt.switch_backend("agg")
    plt.close("all")
    monkeypatch.chdir(path.parent)
    runpy.run_path(str(path))
    assert plt.get_fignums(), "no picture"
    folder = os.environ.get("TAUT_NOTEBOOK_PICTURES")
    if folder:
        for i in plt.get_fignums():
            plt.figure(i).savefig(Path(folder) / f"{path.stem}_{i}.png", dpi=70)
    plt.close("all")
