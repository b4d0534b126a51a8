"""Models that several tests use."""

from pathlib import Path

import pytest
import taut

MODELS = Path(__file__).parents[3] / "models"


@pytest.fixture
def models() -> Path:
    return MODELS


@pytest.fixture
def four_bar() -> taut.Model:
    return taut.load(MODELS / "four_bar.toml")


@pytest.fixture
def pendulum() -> taut.Model:
    m = taut.Model("Pendulum", gravity=[0, -9.81, 0])
    m.body("bob", type="point_mass", mass="0.5 kg", position=["30 cm", 0, 0])
    return m.joint("string", type="rod", a="ground", b="bob", length=0.3)


@pytest.fixture
def cart() -> taut.Model:
    m = taut.Model("Cart and pole", gravity=[0, -9.81, 0])
    m.variable("push", 0)
    m.body("cart", type="planar", mass=1, inertia=0.1)
    m.body("pole", type="planar", mass=0.2, shape={"type": "rod", "length": 1}, position=[0, 0.5], angle="90 deg", markers={"foot": [-0.5, 0]})
    m.joint("rail", type="slider", a="ground", b="cart")
    m.joint("hinge", type="pin", a="cart", b="pole.foot")
    return m.force("drive", type="formula", coordinate="cart.x", force="push.value")
