"""Models: reading, building, names, copies."""

import copy
import pickle
import threading

import numpy as np
import pytest
import taut


def test_names_and_repr(four_bar):
    assert list(four_bar.bodies) == ["crank", "coupler", "rocker"]
    assert four_bar.joints["elbow"].type == "pin"
    assert four_bar.joints["elbow"].markers == ["crank.tip", "coupler.left"]
    assert four_bar.bodies["crank"].mass == 1.0
    assert repr(four_bar) == "Model('Four-bar linkage': 3 bodies, 4 joints)"
    assert "crank.theta" in four_bar.coordinates
    with pytest.raises(KeyError, match="elbow"):
        four_bar.joints["knee"]
    assert "elbow" in four_bar.joints._ipython_key_completions_()


def test_a_model_built_in_python_is_the_file(four_bar, models, tmp_path):
    text = (models / "four_bar.toml").read_text()
    m = taut.Model("Four-bar linkage", gravity=[0, -9.81, 0])
    m.params(a=0.3, b=1, c=0.8, d=1, p="acos(((d - a)^2 + b^2 - c^2)/(2*(d - a)*b))",
             q="atan2(b*sin(p), b*cos(p) - (d - a))")
    m.body("crank", type="planar", mass=1, shape={"type": "rod", "length": "a"}, position=["a/2", 0],
           markers={"pivot": ["-a/2", 0], "tip": ["a/2", 0]})
    m.body("coupler", type="planar", mass=2, shape={"type": "rod", "length": "b"},
           position=["a + b/2*cos(p)", "b/2*sin(p)"], angle="p",
           markers={"left": ["-b/2", 0], "right": ["b/2", 0], "pen": [0, 0.3]})
    m.body("rocker", type="planar", mass=1.5, shape={"type": "rod", "length": "c"},
           position=["d + c/2*cos(q)", "c/2*sin(q)"], angle="q",
           markers={"foot": ["-c/2", 0], "head": ["c/2", 0]})
    m.marker("ground.right", ["d", 0, 0])
    m.joint("motor", type="pin", a="ground", b="crank.pivot", rotation={"position": "2*t"})
    m.joint("elbow", type="pin", a="crank.tip", b="coupler.left")
    m.joint("wrist", type="pin", a="coupler.right", b="rocker.head")
    m.joint("foot", type="pin", a="ground.right", b="rocker.foot")
    m.settings(duration="3.5 s", rtol=1e-10, atol=1e-10).outputs(every="0.05 s")
    ours, theirs = taut.simulate(m), taut.simulate(taut.loads(text))
    assert ours.columns == theirs.columns
    for name in ours.columns:
        assert np.array_equal(ours[name], theirs[name]), name
    m.save(tmp_path / "again.toml")
    again = taut.simulate(taut.load(tmp_path / "again.toml"))
    assert np.array_equal(again["rocker.theta"], ours["rocker.theta"])


def test_elements_are_added_to_a_file(four_bar):
    before = taut.simulate(four_bar, t=1).extremes()
    four_bar.force("load", type="applied", marker="coupler.pen", force=[0, "-100 N", 0])
    assert "load" in four_bar.forces
    after = taut.simulate(four_bar, t=1).extremes()
    assert after["reactions"][1]["force"]["value"] > before["reactions"][1]["force"]["value"] + 10


def test_urdf_and_mjcf(models):
    for name in ("double_pendulum.urdf", "double_pendulum.xml"):
        m = taut.load(models / "parts" / name)
        assert len(m.bodies) >= 2 and taut.simulate(m, t=0.1).success
        m.force("push", type="applied", marker=next(iter(m.bodies)), force=[1, 0, 0])
        assert "push" in m.forces


def test_copies_are_independent(pendulum):
    for other in (copy.copy(pendulum), copy.deepcopy(pendulum), pickle.loads(pickle.dumps(pendulum))):
        other.body("second", type="point_mass", mass=1)
        assert "second" in other.bodies and "second" not in pendulum.bodies


def test_a_pickle_of_another_version_is_refused(pendulum):
    state = pendulum.__getstate__()
    state["version"] = "0.0.1"
    with pytest.raises(taut.TautError, match=r"version 0\.0\.1"):
        taut.Model().__setstate__(state)
    state = pendulum.__getstate__()
    del state["_elements"]
    with pytest.raises(taut.TautError, match="damaged: _elements"):
        taut.Model().__setstate__(state)


def test_threads_share_a_model(four_bar):
    results = [None] * 4

    def work(i):
        results[i] = taut.simulate(four_bar, t=0.5, set={"rocker.mass": 1 + i})["wrist.fx"]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for i in range(4):
        assert np.array_equal(results[i], taut.simulate(four_bar, t=0.5, set={"rocker.mass": 1 + i})["wrist.fx"])


def test_equations(pendulum):
    eq = pendulum.equations()
    assert np.allclose(eq["M"] @ eq["vdot"], eq["f"] + eq["A"].T @ eq["lambda"])
    assert np.allclose(eq["A"] @ eq["vdot"], eq["b"])
    assert len(eq["rows"]) == 1 and eq["rows"][0].startswith("string.")


def test_html_shows_freedoms_masses_and_the_viewer(pendulum):
    text = pendulum._repr_html_()
    assert "bob" in text and "0.5" in text
    # Without Node at build time there is no page, and the text says so.
    assert "iframe" in text or "built without its page" in text
