"""Ctrl-C during the analyses: it acts at once, and what there is of a result is kept."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
import taut


@contextmanager
def ctrl_c(after=0.4):
    """Presses Ctrl-C after a while; the block must end soon after that."""
    pressed = []

    def press():
        pressed.append(time.perf_counter())
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    timer = threading.Timer(after, press)
    timer.start()
    try:
        yield
    finally:
        ended = time.perf_counter()
        timer.cancel()
    assert pressed, "the analysis was over before Ctrl-C"
    # The engine looks every 25 ms; the machine may be busy with other tests, and this may be a debug build.
    limit = 0.1 if os.getloadavg()[0] < 1 else 1.0
    assert ended - pressed[0] < limit, f"it took {ended - pressed[0]:.3f} s"


@pytest.fixture
def shaken(pendulum):
    """A pendulum whose pivot trembles twenty thousand times within the period."""
    m = taut.Model("Shaken", gravity=[0, -9.81, 0]).params(W=1e-3)
    m.body("base", type="point_mass", mass=1).body("bob", type="point_mass", mass=0.5, position=[0, -0.3, 0])
    for axis in "xz":
        m.driver(f"guide_{axis}", coordinate=f"base.{axis}", position=0)
    m.driver("shaker", coordinate="base.y", position="0.01*sin(20000*W*t)")
    m.joint("string", type="rod", a="base", b="bob", length=0.3)
    return m.force("air", type="formula", coordinate="bob.x", force="-0.2*rate").force("wind", type="formula", coordinate="bob.z", force="-0.2*rate")


LONG = {
    "periodic": lambda m: taut.periodic(m, "2*pi/W"),
    "floquet": lambda m: taut.floquet(m, "2*pi/W", segments=4),
}


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_acts_at_once_in(shaken, name):
    with ctrl_c(), pytest.raises(KeyboardInterrupt):
        LONG[name](shaken)
    # Nothing is left behind.
    assert taut.simulate(shaken, t=0.1).success


def test_ctrl_c_keeps_the_branches_found_so_far(models):
    platform = taut.load(models / "stewart_platform.toml")
    with ctrl_c():
        found = taut.assemble(platform, branches=True, starts=10**9)
    assert found.completeness == "interrupted" and len(found) > 0 and found.starts < 10**9


def test_ctrl_c_keeps_the_rows_of_a_prescribed_motion(four_bar):
    with ctrl_c():
        sol = taut.kinematics(four_bar, t=1000, every=1e-4)
    assert sol.status == 2 and not sol.success and "interrupted at t = " in sol.message
    assert 1 < len(sol) < 10**7 and sol.t[-1] < 1000
    whole = taut.kinematics(four_bar, t=0.01, every=1e-4)
    assert np.array_equal(sol["rocker.theta"][:100], whole["rocker.theta"][:100])


def test_ctrl_c_ends_a_campbell_diagram(shaken):
    with ctrl_c(), pytest.raises(KeyboardInterrupt):
        taut.campbell(shaken, "theta", np.linspace(0, 1, 100_000), static=True)


def test_an_exception_ends_a_long_analysis_at_once(shaken):
    calls = []

    def broken(t, markers):
        calls.append(t)
        if t > 5:
            raise ZeroDivisionError("my own words")
        return [0, 0, 0]

    m = shaken.force("mine", function=broken, markers="bob")
    for act in LONG.values():
        with pytest.raises(ZeroDivisionError, match="my own words"):
            act(m)
