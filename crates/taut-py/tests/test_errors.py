"""Bad input: an exception that says what and where."""

import math
import subprocess
import sys

import numpy as np
import pytest
import taut


def test_the_message_is_that_of_the_command(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('taut = 2\n[bodies.bar]\ntype = "planar"\nmas = 1\n')
    with pytest.raises(taut.ModelError) as e:
        taut.load(path)
    printed = subprocess.run(
        [sys.executable, "-m", "taut", "check", str(path)], capture_output=True, text=True, check=False
    )
    assert printed.returncode == 1
    own = "".join(f"{f['text']}\n" for f in e.value.findings)
    assert own in printed.stderr
    assert e.value.findings[0]["line"] == 4
    assert "^" in str(e.value) and "bad.toml:4:1" in str(e.value)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda m: taut.simulate(m, t="3 kg"), "time"),
        (lambda m: taut.simulate(m, t=-1), "greater than zero"),
        (lambda m: taut.simulate(m, t=math.nan), "nan|NaN|number"),
        (lambda m: taut.simulate(m, method="rk5"), "rk5"),
        (lambda m: taut.simulate(m, method="rk4"), "step"),
        (lambda m: taut.simulate(m, set={"bob.mas": 1}), "mas"),
        (lambda m: taut.simulate(m, set={"nobody.mass": 1}), "nobody"),
        (lambda m: taut.simulate(m, set={"bob.mass": -1}), "mass"),
        (lambda m: taut.simulate(m, every=0), "every"),
        (lambda m: m.body("bob", type="planar").bodies, "bob"),
        (lambda m: m.joint("new", type="pni", a="ground", b="bob").joints, "pni|pin"),
        (lambda m: taut.modes(m, at=-1), "time"),
        (lambda m: taut.linearize(m, ["nothing"], static=True), "nothing"),
        (lambda m: taut.inverse(m, {"bob.bx": 1}), "bob.ax"),
        (lambda m: taut.kinematics(m), "prescribe|driven|degrees"),
        (lambda m: m.force("f", function=lambda t, x: 0), "markers"),
        (lambda m: m.force("f", function=lambda t, x: 0, markers=["nobody"]).forces, "nobody"),
        (lambda m: m.constraint("c", phi=lambda t, x: 0, markers="bob", rows=0).constraints, "rows"),
        (lambda m: taut.loads("taut = 2\n[", "x.toml"), "x.toml"),
        (lambda m: taut.lab(m, formulations=["none such"]), "none such"),
    ],
)
def test_misuse_says_what(pendulum, act, message):
    with pytest.raises((taut.TautError, ValueError), match=message):
        act(pendulum)


@pytest.mark.parametrize(
    "act",
    [
        lambda m: taut.simulate(3),
        lambda m: taut.simulate(m, events=[3]),
        lambda m: taut.simulate(m, nonsense=1),
        lambda m: taut.simulate(m, state="start"),
        lambda m: m.body(3),
        lambda m: m.body("x", mass=object()),
        lambda m: taut.loads(b"taut = 2"),
        lambda m: taut.static(m, rotating_about=[0, 0, 1]),
        lambda m: taut.static(m, nonsense=1),
        lambda m: taut.modes(m, at=1, static=True),
        lambda m: taut.constrain(lambda t, y: y, q=[0], v=[1]),
    ],
)
def test_wrong_types(pendulum, act):
    with pytest.raises(TypeError):
        act(pendulum)


def test_files_that_are_missing():
    with pytest.raises(OSError):
        taut.load("/no/such/file.toml")
    with pytest.raises((OSError, taut.TautError)):
        taut.read("/no/such/folder")


def test_a_state_of_another_model(pendulum, four_bar):
    with pytest.raises(taut.TautError, match="does not fit"):
        taut.simulate(pendulum, state=four_bar.initial_state)
    with pytest.raises(taut.TautError, match="entries"):
        pendulum.initial_state.replace(q=[1.0])
    with pytest.raises(taut.TautError, match="no state"):
        taut.State.from_json("nonsense")


def test_callbacks_that_raise_or_return_nonsense(pendulum):
    def wrong(t, m):
        raise RuntimeError("my own words")

    for function, error, words in [
        (wrong, RuntimeError, "my own words"),
        (lambda t, m: None, TypeError, "NoneType"),
        (lambda t, m: "text", TypeError, "it must return"),
        (lambda t, m: [1, 2], TypeError, "2 numbers"),
        (lambda t, m: np.ones((5, 5)), TypeError, "shape"),
        (lambda t, m: [math.nan, 0, 0], taut.TautError, "finite"),
    ]:
        m = pendulum.copy().force("mine", function=function, markers="bob")
        with pytest.raises(error, match=words):
            taut.simulate(m, t=0.1)
        # Nothing is left behind.
        assert taut.simulate(pendulum, t=0.1).success


def test_an_exception_is_raised_by_the_analysis_that_it_ended(pendulum):
    calls = [0]

    def late(t, m):
        calls[0] -= 1
        if calls[0] < 0:
            raise RuntimeError("my own words")
        return [0, 0, 0]

    m = pendulum.copy().force("mine", function=late, markers="bob")
    analyses = [
        lambda: taut.check(m), lambda: taut.assemble(m), lambda: taut.static(m), lambda: taut.modes(m, static=True),
        lambda: taut.linearize(m, ["bob.fx"], ["bob.x"], static=True), lambda: taut.response(m, "bob.fx", ["bob.x"], [1.0], static=True),
        lambda: taut.simulate(m, t=0.05)(0.02), lambda: taut.floquet(m, 0.1), lambda: m.equations(), lambda: taut.inverse(m, {}),
    ]  # fmt: skip
    for analysis in analyses:
        for allowed in (0, 1, 5, 20, 60, 150):
            calls[0] = allowed
            try:
                analysis()
            except RuntimeError as e:
                assert str(e) == "my own words"
            except taut.TautError:
                assert calls[0] >= 0, "the exception was lost"
            # The next analysis knows nothing of it.
            assert taut.static(pendulum.copy().set({"bob.position": [0, -0.3, 0]})).stability


def test_an_exception_in_a_trial_of_the_laboratory_is_raised(pendulum):
    def wrong(t, m):
        if t > 0.01:
            raise RuntimeError("my own words")
        return [0, 0, 0]

    m = pendulum.copy().force("mine", function=wrong, markers="bob")
    with pytest.raises(RuntimeError, match="my own words"):
        taut.lab(m, set={"settings.end_time": 0.05}, formulations=["lagrange"])
    assert all(t["outcome"] == "finished" for t in taut.lab(pendulum, set={"settings.end_time": 0.05}, formulations=["lagrange"]).trials)


def test_a_simulation_is_not_advanced_by_its_own_function(pendulum):
    sims = []

    def force(t, m):
        if sims:
            sims[0].step()
        return [0, 0, 0]

    m = pendulum.force("mine", function=force, markers="bob")
    sims.append(taut.Simulation(m, t=1))
    with pytest.raises(RuntimeError, match="being advanced"):
        sims[0].step()


def test_a_model_that_is_changed_while_it_runs(pendulum):
    calls = []

    def meddle(t, m):
        if len(calls) < 5:
            calls.append(t)
            pendulum.set({"bob.mass": 1 + len(calls)}).body(f"new_{len(calls)}", type="point_mass", mass=1)
        return [0, 0, 0]

    before = taut.simulate(pendulum, t=0.1)
    again = taut.simulate(pendulum.copy().force("meddle", function=meddle, markers="bob"), t=0.1)
    # The run keeps the model that it began with.
    assert len(calls) == 5 and np.array_equal(before["bob.y"], again["bob.y"])
    assert "new_5.x" in taut.simulate(pendulum, t=0.1).columns


@pytest.mark.parametrize(("old", "new"), [("rotation", "rotating_about"), ("speed", "rate")])
def test_former_names_of_the_rotating_frame(pendulum, old, new):
    with pytest.raises(TypeError, match=f"`{old}`; it is now called `{new}`"):
        taut.static(pendulum, **{old: 1})
