"""Constrained multibody dynamics: models, simulations and analyses.

>>> import taut
>>> m = taut.Model("Pendulum", gravity=[0, -9.81, 0])
>>> _ = m.body("bob", type="point_mass", mass="0.5 kg", position=["30 cm", 0, 0])
>>> _ = m.joint("string", type="rod", a="ground", b="bob", length="30 cm")
>>> sol = taut.simulate(m, t="2 s", every="10 ms")
>>> sol.success, sol.verdict
(True, 'sound')

The words are those of the model file and of the command; docs/python.md is the guide.
"""

from ._analyses import (
    Assembly,
    Check,
    Equilibrium,
    Inverse,
    Lab,
    assemble,
    check,
    inverse,
    kinematics,
    lab,
    simulate,
    static,
)
from ._constrain import Constrained, accelerations, constrain, correction, published
from ._elements import Element, Elements
from ._linear import (
    Campbell,
    LinearSystem,
    Modes,
    Response,
    campbell,
    linearize,
    modes,
    response,
)
from ._model import Model, load, loads
from ._records import Extremes, Reaction
from ._simulation import Inputs, Simulation
from ._solution import Solution, read
from ._sweep import read_sweep, sweep
from ._sweep_table import Sweep
from ._taut import PUBLISHED, AnalysisError, Markers, ModelError, State, TautError, __version__

__all__ = [
    "PUBLISHED",
    "AnalysisError",
    "Assembly",
    "Campbell",
    "Check",
    "Constrained",
    "Element",
    "Elements",
    "Equilibrium",
    "Extremes",
    "Inputs",
    "Inverse",
    "Lab",
    "LinearSystem",
    "Markers",
    "Model",
    "ModelError",
    "Modes",
    "Reaction",
    "Response",
    "Simulation",
    "Solution",
    "State",
    "Sweep",
    "TautError",
    "__version__",
    "accelerations",
    "assemble",
    "campbell",
    "check",
    "constrain",
    "correction",
    "inverse",
    "kinematics",
    "lab",
    "linearize",
    "load",
    "loads",
    "modes",
    "published",
    "read",
    "read_sweep",
    "response",
    "simulate",
    "static",
    "sweep",
]
