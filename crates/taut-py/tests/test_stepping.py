"""Runs driven by the caller, and the environment of Gymnasium."""

import numpy as np
import pytest
import taut


def test_steps_and_times(pendulum):
    sim = taut.Simulation(pendulum, t=1)
    assert sim.step() and sim.t > 0
    assert sim.advance(0.5) and sim.t == 0.5
    assert abs(sim["bob.x"] ** 2 + sim["bob.y"] ** 2 - 0.09) < 1e-12
    assert sim["string.fx"] != 0
    with pytest.raises(KeyError, match="string.fxx"):
        sim["string.fxx"]
    sol = sim.run()
    assert sol.success and not sim.underway and not sim.step()
    with pytest.raises(ValueError, match="at least one"):
        sim.step(0)


def test_inputs_hold_until_they_are_set_again():
    m = taut.Model().variable("push", 0).body("cart", type="point_mass", mass=2)
    m.force("drive", type="formula", coordinate="cart.x", force="push.value")
    sim = taut.Simulation(m, t=3, every=0.5)
    for k, push in enumerate([2.0, -4.0, 0.0]):
        sim.inputs["push"] = push
        sim.advance(k + 1)
    # v = 1, x = 1/2 after one second; then a = -2
    assert abs(sim["cart.vx"] + 1) < 1e-12 and abs(sim["cart.x"] - (0.5 + 1 - 1 - 1)) < 1e-12
    sol = sim.solution()
    assert sol.verdict == "sound", sol.warnings
    with pytest.raises(taut.TautError, match="no variable"):
        taut.Simulation(m, t=1).inputs["pull"] = 1
    with pytest.raises(taut.TautError, match="finite"):
        taut.Simulation(m, t=1).inputs["push"] = float("nan")


def test_a_run_continues_from_a_state(four_bar):
    whole = taut.simulate(four_bar, t=1, every=0.5)
    half = taut.simulate(four_bar, t=0.5, every=0.5)
    rest = taut.simulate(four_bar, (0.5, 1), every=0.5, state=half.final_state)
    assert np.allclose(rest["rocker.theta"][-1], whole["rocker.theta"][-1], atol=1e-9)


def test_gymnasium(cart):
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env
    from taut.gym import Env

    def make():
        return Env(
            cart, actions={"push": (-10.0, 10.0)}, observations=["cart.x", "cart.vx", "pole.theta", "pole.omega"],
            dt=0.02, duration=0.2, reward=lambda seen, action: -abs(seen[2] - np.pi / 2),
            randomize=lambda rng: {"pole.angle": f"{90 + rng.uniform(-3, 3)} deg"},
        )

    check_env(make(), skip_render_check=True)
    env = make()
    seen, _ = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    assert np.array_equal(seen, again)
    truncated = False
    steps = 0
    while not truncated:
        seen, _, ended, truncated, info = env.step(np.array([1.0]))
        steps += 1
        assert not ended, info
    assert steps == 10 and seen[1] > 0.1
    many = gymnasium.vector.SyncVectorEnv([make] * 3)
    seen, _ = many.reset(seed=1)
    seen, rewards, *_ = many.step(np.zeros((3, 1)))
    assert seen.shape == (3, 4) and rewards.shape == (3,)
