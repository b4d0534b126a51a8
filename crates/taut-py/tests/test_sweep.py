"""Sweeps: the same table from threads, executors, a cluster and the command."""

import dataclasses
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import taut

VARY = {"a": np.linspace(0.2, 0.6, 5), "rocker.mass": "1 kg, 2 kg"}
MEASURE = {"peak": "max(sqrt(elbow.fx^2 + elbow.fy^2))", "late": "at(rocker.omega, 0.1 s)"}
SHORT = {"t": 0.2, "every": 0.01}


def peak_x(sol):
    """A function of a module: it can be sent to another process."""
    return np.abs(sol["elbow.fx"]).max()


def dies(sol):
    os._exit(1)


def drag(t, markers):
    return -0.1 * markers.v


def command(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "taut", "sweep", *arguments, "-o", str(folder), "-q"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return (folder / "table.csv").read_text()


def test_the_table_of_threads_executors_and_the_command(four_bar, models, tmp_path):
    one = taut.sweep(four_bar, VARY, measure=MEASURE, jobs=1, **SHORT)
    assert len(one) == 10 and one.complete and list(one["status"]) == ["finished"] * 10
    assert one.columns == ["member", "a", "rocker.mass", "peak", "late", "status", "verdict", "steps", "message"]
    assert one.units["rocker.mass"] == "kg" and one.units["peak"] == "N"
    two = taut.sweep(four_bar, VARY, measure=MEASURE, jobs=2, **SHORT)
    with ThreadPoolExecutor(2) as pool:
        threads = taut.sweep(four_bar, VARY, measure=MEASURE, executor=pool, batch=3, **SHORT)
    values = ", ".join(repr(float(x)) for x in VARY["a"])
    printed = command(
        tmp_path / "study.sweep", str(models / "four_bar.toml"), "--vary", f"a={values}", "--vary", "rocker.mass=1 kg, 2 kg",
        *(x for name, formula in MEASURE.items() for x in ("--keep", f"{name} = {formula}")),
        "--duration", "0.2", "--set", "outputs.every=0.01",
    )  # fmt: skip
    assert one.to_csv() == two.to_csv() == threads.to_csv() == printed
    stored = taut.read_sweep(tmp_path / "study.sweep")
    assert stored.to_csv() == printed and stored.units == one.units and stored.complete


def test_a_member_is_a_run(four_bar):
    found = taut.sweep(four_bar, {"a": [0.25]}, measure={"x": "final(rocker.theta)", "peak": peak_x}, **SHORT)
    sol = taut.simulate(four_bar, set={"a": 0.25}, **SHORT)
    assert found["x"][0] == sol["rocker.theta"][-1]
    assert found["peak"][0] == np.abs(sol["elbow.fx"]).max()
    assert found["steps"][0] == sol.stats.steps and found["verdict"][0] == sol.verdict


def test_processes_and_functions(four_bar):
    m = four_bar.copy().force("drag", function=drag, markers="coupler")
    how = {"measure": {"late": MEASURE["late"], "mine": peak_x}, **SHORT}
    here = taut.sweep(m, {"a": [0.2, 0.3, 0.4]}, **how)
    with ProcessPoolExecutor(2) as pool:
        there = taut.sweep(m, {"a": [0.2, 0.3, 0.4]}, executor=pool, batch=1, **how)
        assert here.to_csv() == there.to_csv()
        with pytest.raises(taut.TautError, match="in a module"):
            taut.sweep(m, {"a": [0.2]}, measure={"mine": lambda sol: 1}, executor=pool)
    without = taut.sweep(four_bar, {"a": [0.2, 0.3, 0.4]}, **how)
    assert not np.array_equal(without["late"], here["late"])


def test_a_cluster_of_two_processes(four_bar):
    distributed = pytest.importorskip("distributed")
    serial = taut.sweep(four_bar, VARY, measure=MEASURE, jobs=1, **SHORT)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = taut.sweep(four_bar, VARY, measure=MEASURE, executor=client, batch=2, **SHORT)
    assert found.to_csv() == serial.to_csv()


class OtherVersion(ThreadPoolExecutor):
    """Workers with another version of the package."""

    def submit(self, function, task, *rest):
        return super().submit(function, dataclasses.replace(task, version="0.0.1"), *rest)


def test_workers_of_another_version_and_dead_ones(four_bar):
    with OtherVersion(1) as pool, pytest.raises(taut.TautError, match=r"version 0\.0\.1"):
        taut.sweep(four_bar, {"a": [0.3]}, executor=pool, **SHORT)
    with ProcessPoolExecutor(1) as pool, pytest.raises(taut.TautError, match="died"):
        taut.sweep(four_bar, {"a": [0.3]}, measure={"x": dies}, executor=pool, **SHORT)


def test_members_that_fail_are_rows(four_bar):
    def late(sol):
        raise RuntimeError("my own words")

    found = taut.sweep(four_bar, {"a": [0.3, 3.0]}, measure={"x": "final(rocker.theta)"}, **SHORT)
    assert list(found["status"]) == ["finished", "failed"] and list(found.failed) == [1]
    assert np.isfinite(found["x"][0]) and np.isnan(found["x"][1]) and found["message"][1]
    found = taut.sweep(four_bar, {"a": [0.3]}, measure={"x": "final(rocker.theta)", "bad": late}, **SHORT)
    assert found["status"][0] == "failed" and found["message"][0] == "measure `bad`: RuntimeError: my own words"
    assert np.isfinite(found["x"][0]) and np.isnan(found["bad"][0])

    def sometimes(t, markers):
        if t > 0.1 and markers.p[0] > 0.15:
            raise ValueError("too far")
        return [0, 0, 0]

    m = four_bar.copy().force("mine", function=sometimes, markers="coupler.left")
    found = taut.sweep(m, {"a": [0.1, 0.3]}, jobs=1, **SHORT)
    assert list(found["status"]) == ["finished", "failed"] and found["message"][1] == "ValueError: too far"


def test_samples_cases_and_other_analyses(four_bar, models, tmp_path):
    how = {"sample": "sobol", "count": 8, "seed": 3, "measure": "final(rocker.theta)"}
    found = taut.sweep(four_bar, {"a": "normal(300 mm, 1 mm)"}, **how, **SHORT)
    printed = command(
        tmp_path / "a.sweep", str(models / "four_bar.toml"), "--vary", "a=normal(300 mm, 1 mm)", "--sample", "sobol", "--count", "8",
        "--seed", "3", "--keep", "final(rocker.theta)", "--duration", "0.2", "--set", "outputs.every=0.01",
    )  # fmt: skip
    assert found.to_csv() == printed and found.units["a"] == "mm"
    cases = taut.sweep(four_bar, cases={"a": [0.3, 0.31], "rocker.mass": [1.0, 2.0]}, measure="final(rocker.theta)", **SHORT)
    assert len(cases) == 2 and list(cases["rocker.mass"]) == [1.0, 2.0]
    m = taut.Model("Pendulum", gravity=[0, -9.81, 0]).body("bob", type="point_mass", mass=1, position=[0.1, -0.3, 0])
    m.joint("string", type="rod", a="ground", b="bob", length=0.3)
    modes = taut.sweep(m, {"gravity": [[0, -9.81, 0], [0, -1.62, 0]]}, analysis="modes", static=True, number=2)
    assert modes["frequency_1"] == pytest.approx(np.sqrt(np.array([9.81, 1.62]) / 0.3) / (2 * np.pi), rel=1e-6)
    assert modes["gravity"][1] == "[0, -1.62, 0]"


def test_a_table_for_pandas_and_a_picture(four_bar):
    pytest.importorskip("pandas")
    found = taut.sweep(four_bar, VARY, measure=MEASURE, **SHORT)
    frame = found.to_pandas()
    assert frame.shape == (10, 8) and frame.attrs["units"]["a"] == "" and frame.index.name == "member"
    assert len(found.plot("peak", "a").lines) == 2
    assert "10 members, 0 failed" in repr(found)
    with pytest.raises(KeyError, match="did you mean `peak`"):
        found["peek"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"vary": {}}, "no parameter is varied"),
        ({"vary": {"nothing": [1]}}, "nothing"),
        ({"vary": {"a": []}}, "no values"),
        ({"vary": {"a": "1:2"}}, "how to sample"),
        ({"vary": {"a": ["1, 2"]}}, "cannot contain"),
        ({"vary": {"a": [object()]}}, "object"),
        ({"vary": {"a": [0.3]}, "measure": "max(elbow.fq)"}, "fq"),
        ({"vary": {"a": [0.3]}, "measure": "run"}, "whole runs"),
        ({"vary": {"a": [0.3]}, "measure": {"a": peak_x}}, "two columns"),
        ({"vary": {"a": [0.3]}, "measure": {"x": peak_x}, "analysis": "modes"}, "no motion"),
        ({"vary": {"a": [0.3]}, "analysis": "dance"}, "dance"),
        ({"vary": {"a": "0.2:0.3"}, "sample": "dice", "count": 3}, "dice"),
        ({"vary": {"a": [0.3]}, "jobs": 0}, "jobs"),
        ({"cases": {"a": [1], "b": [1, 2]}}, "lengths"),
        ({"vary": {"a": [0.3]}, "analysis": "campbell"}, "over"),
    ],
)
def test_misuse_says_what(four_bar, how, message):
    with pytest.raises(taut.TautError, match=message):
        taut.sweep(four_bar, **how)


@pytest.mark.parametrize(
    "how",
    [
        {"vary": ["a"]},
        {"vary": {"a": [0.3]}, "executor": 3},
        {"vary": {"a": [0.3]}, "measure": {"x": 3}},
        {"vary": {"a": [0.3]}, "measure": [peak_x]},
        {"vary": {"a": [0.3]}, "nonsense": 1},
        {"vary": {"a": "1:2"}, "sample": "sobol"},
    ],
)
def test_wrong_types(four_bar, how):
    with pytest.raises(TypeError):
        taut.sweep(four_bar, **how)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"vary": {}}, "give `vary` or `cases`"),
        ({"vary": {"a": "1:2"}}, 'sample="sobol", count=256'),
        ({"vary": {"a": "1:x:3"}}, "vary a"),
        ({"vary": {"a": [0.3]}, "measure": {"p": "max(elbow.q)"}}, "measure max(elbow.q)"),
        ({"vary": {"a": [0.3]}, "measure": {"a": "max(elbow.fx)"}}, "measure: two columns have the name `a`"),
    ],
)
def test_errors_use_the_names_of_the_arguments(four_bar, arguments, words):
    with pytest.raises(taut.TautError) as error:
        taut.sweep(four_bar, **arguments, **SHORT)
    assert words in str(error.value) and "--" not in str(error.value).replace("-->", "")
