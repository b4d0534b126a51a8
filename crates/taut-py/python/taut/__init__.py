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
    Equilibrium,
    Inverse,
    Lab,
    inverse,
    kinematics,
    lab,
    simulate,
    static,
)
from ._assembly import Assembly, Branches, Check, assemble, check
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
from ._periodic import Floquet, Harmonics, Periodic, Trim, floquet, periodic, trim
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
    "Branches",
    "Campbell",
    "Check",
    "Constrained",
    "Element",
    "Elements",
    "Equilibrium",
    "Extremes",
    "Floquet",
    "Harmonics",
    "Inputs",
    "Inverse",
    "Lab",
    "LinearSystem",
    "Markers",
    "Model",
    "ModelError",
    "Modes",
    "Periodic",
    "Reaction",
    "Response",
    "Simulation",
    "Solution",
    "State",
    "Sweep",
    "TautError",
    "Trim",
    "__version__",
    "accelerations",
    "assemble",
    "campbell",
    "check",
    "constrain",
    "correction",
    "floquet",
    "inverse",
    "kinematics",
    "lab",
    "linearize",
    "load",
    "loads",
    "modes",
    "periodic",
    "published",
    "read",
    "read_sweep",
    "response",
    "simulate",
    "static",
    "sweep",
    "trim",
]
