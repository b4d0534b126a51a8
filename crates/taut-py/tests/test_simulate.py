"""Runs: the shape of SciPy's results, dense output, events, interruption, the same bits as the command."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import taut


def test_the_shape_of_scipy(four_bar):
    sol = taut.simulate(four_bar, t=1, every=0.1)
    assert sol.success and sol.status == 0 and sol.verdict == "sound"
    assert sol.message == "finished"
    assert sol.t.shape == (11,) and sol.y.shape == (18, 11)
    assert sol.units["elbow.fx"] == "N" and "elbow.fx" in sol and len(sol) == 11
    assert np.array_equal(sol.y[sol.state_names.index("rocker.theta")], sol["rocker.theta"])
    assert sol.reactions["elbow"].force.shape == (11, 3)
    assert np.max(np.abs(sol.energy.balance)) < 1e-8
    assert np.max(sol.residuals.position) < 1e-12
    assert sol.stats.steps > 0 and sol.nfev > 0
    assert sol.extremes()["reactions"][0]["name"] == "motor"
    assert "largest force" in repr(sol.extremes())
    with pytest.raises(KeyError, match="did you mean `elbow.fx`"):
        sol["elbow.fxx"]


def test_dense_output_has_the_bits_of_rows(four_bar, models):
    times = np.sort(np.random.default_rng(1).uniform(0, 1, 37))
    sol = taut.simulate(four_bar, t=1)
    at = sol.at(times)
    text = (models / "four_bar.toml").read_text().replace('every = "0.05 s"', f"times = {times.tolist()}")
    rows = taut.simulate(taut.loads(text), t=1)
    y = sol(times)
    assert y.shape == (18, 37)
    assert np.max(at.residuals.position) < 1e-12
    for name in at.columns:
        assert np.array_equal(at[name], rows[name]), name
    assert np.array_equal(sol.sol(times[3]), y[:, 3])
    with pytest.raises(taut.TautError, match="outside"):
        sol(2.0)


def test_events(pendulum):
    def lowest(t, y):
        return y[0]

    def stop(t, y):
        return y[0] * y[4] - y[1] * y[3] if t > 0.01 else -1.0

    stop.terminal = True
    sol = taut.simulate(pendulum, t=10, events=[lowest, stop, "bob.y + 0.1"])
    assert sol.status == 1 and sol.success and "stop" in sol.message
    quarter, half = sol.t_events[0][0], sol.t_events[1][0]
    assert abs(half - 2 * quarter) < 1e-8
    assert len(sol.t_events[2]) == 2
    assert abs(sol.t[-1] - half) < 1e-12


def test_a_run_that_stops_returns_its_rows():
    m = taut.Model().body("x", type="point_mass", mass=1).force(
        "f", type="formula", coordinate="x.x", force="1/(1 - t)^2"
    )
    sol = taut.simulate(m, t=2, every=0.1)
    assert not sol.success and sol.status == -1 and "stopped at t" in sol.message
    assert len(sol) >= 9


def test_settings_change_the_run(four_bar):
    sol = taut.simulate(four_bar, (0, 0.5), method="radau5", rtol=1e-6, every="10 ms", formulation="null_space", drift="baumgarte")
    assert sol.success and sol.t[-1] == 0.5


def test_python_and_command_give_the_same_bits(models, tmp_path):
    for name in ("four_bar", "double_wishbone", "contact/bouncing_ball", "bicycle", "contact/cradle"):
        path = models / f"{name}.toml"
        run = tmp_path / f"{path.stem}.run"
        subprocess.run(
            [sys.executable, "-m", "taut", "run", str(path), "-q", "-t", "0.2", "-o", str(run), "--format", "npz"], check=False
        )
        theirs, ours = taut.read(run), taut.simulate(path, t=0.2)
        assert set(theirs.columns) <= set(ours.columns)
        for column in theirs.columns:
            assert np.array_equal(theirs[column], ours[column], equal_nan=True), (name, column)
        assert theirs.verdict == ours.verdict and theirs.events == ours.events


def test_saved_runs_are_read_back(four_bar, tmp_path):
    sol = taut.simulate(four_bar, t=1)
    for format in ("csv", "npz", "parquet"):
        folder = tmp_path / f"{format}.run"
        sol.save(folder, format=format)
        back = taut.read(folder)
        assert back.columns == sol.columns and back.verdict == "sound" and back.success
        assert all(np.array_equal(back[c], sol[c]) for c in sol.columns)
        assert back.reactions["elbow"].force.shape == (len(sol), 3)
    with pytest.raises(taut.TautError):
        sol.save(tmp_path / "csv.run")
    again = pickle.loads(pickle.dumps(sol))
    assert np.array_equal(again["elbow.fx"], sol["elbow.fx"]) and again.y.shape == sol.y.shape


def test_copies_of_a_solution_keep_its_dense_output(four_bar):
    sol = taut.simulate(four_bar, t=0.5)
    for other in (copy.copy(sol), copy.deepcopy(sol)):
        assert np.array_equal(other(0.123), sol(0.123)) and other.verdict == sol.verdict
    other["elbow.fx"][:] = 0
    assert np.any(sol["elbow.fx"]), "a deep copy shares nothing"


def test_a_solution_of_another_version_is_refused(four_bar):
    sol = taut.simulate(four_bar, t=0.1)
    for changes, words in (({"version": "0.0.1"}, r"version 0\.0\.1"), ({"more": 1}, "damaged: more")):
        with pytest.raises(taut.TautError, match=words):
            taut.Solution.__new__(taut.Solution).__setstate__({**sol.__getstate__(), **changes})


def test_ctrl_c_keeps_rows_and_acts_within_a_tenth_of_a_second(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys, time, taut
            m = taut.Model(gravity=[0, -9.81, 0])
            m.body("bob", type="point_mass", mass=1, position=[1, 0, 0])
            m.joint("rod", type="rod", a="ground", b="bob", length=1)
            print("ready", flush=True)
            sol = taut.simulate(m, t=1e6, every=1)
            print(time.time(), sol.status, len(sol), sol.message, flush=True)
            """
        )
    )
    p = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert p.stdout is not None and p.stdout.readline() == "ready\n"
    time.sleep(0.7)
    sent = time.time()
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=20)
    when, status, rows, *message = out.split()
    assert status == "2" and int(rows) > 1 and message[0] == "interrupted"
    # The machine may be busy with other tests; the loop itself looks every 25 ms.
    assert float(when) - sent < (0.1 if os.cpu_count() and os.getloadavg()[0] < 1 else 1.0)


def test_the_interpreter_runs_on_during_a_simulation(four_bar):
    import threading

    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    taut.simulate(four_bar, t=20)
    done.set()
    thread.join()
    assert counted[0] > 1000
