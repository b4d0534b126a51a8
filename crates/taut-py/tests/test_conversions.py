"""Tables for other packages."""

import numpy as np
import pytest
import taut


@pytest.fixture
def sol(four_bar):
    return taut.simulate(four_bar, t=1, every=0.1)


def test_pandas(sol):
    pytest.importorskip("pandas")
    frame = sol.to_pandas()
    assert np.array_equal(frame["elbow.fx"], sol["elbow.fx"]) and frame.index.name == "t"
    assert frame.attrs["units"]["elbow.fx"] == "N"


def test_arrow_shares_memory(sol):
    pa = pytest.importorskip("pyarrow")
    table = pa.table(sol)
    assert table.column_names == sol.columns and table.num_rows == len(sol)
    field = table.schema.field("elbow.fx")
    assert field.metadata[b"unit"] == b"N" and field.type == pa.float64()
    column = table["elbow.fx"].chunk(0)
    assert column.buffers()[1].address == sol["elbow.fx"].ctypes.data
    copy = sol["elbow.fx"].copy()
    del sol
    assert np.array_equal(column.to_numpy(), copy)


def test_polars_and_xarray(sol):
    pl = pytest.importorskip("polars")
    xr = pytest.importorskip("xarray")
    frame = sol.to_polars()
    assert isinstance(frame, pl.DataFrame) and np.array_equal(frame["elbow.fx"].to_numpy(), sol["elbow.fx"])
    data = sol.to_xarray()
    assert isinstance(data, xr.Dataset) and data["elbow.fx"].attrs["units"] == "N"


def test_files(sol, tmp_path):
    sol.to_npz(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as data:
        assert np.array_equal(data["elbow.fx"], sol["elbow.fx"])
    sol.to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("t")
    sol.to_parquet(tmp_path / "a.parquet")
    pq = pytest.importorskip("pyarrow.parquet")
    assert np.array_equal(pq.read_table(tmp_path / "a.parquet")["elbow.fx"].to_numpy(), sol["elbow.fx"])


def test_pictures(sol):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    ax = sol.plot("elbow.fx", "elbow.fy")
    assert len(ax.lines) == 2 and "N" in ax.get_ylabel()
    from taut import plots

    plots.path(sol, "coupler.pen.x", "coupler.pen.y")
    plots.strobe(sol, ["crank.pivot", "crank.tip", "coupler.right"])
