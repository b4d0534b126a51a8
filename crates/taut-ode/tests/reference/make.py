"""Makes scipy.json: reference values of SciPy's solve_ivp and of single steps of its solvers.

    python3 -m venv venv && venv/bin/pip install numpy scipy && venv/bin/python make.py
"""

import json
import pathlib

import numpy as np
import scipy
from scipy.integrate import DOP853, RK23, RK45, solve_ivp

MU = 0.012277471


def arenstorf(t, y):
    """[HairerNorsettWanner1993] II.0 eq. (0.1)"""
    x, z, u, v = y
    d1 = ((x + MU) ** 2 + z**2) ** 1.5
    d2 = ((x - 1 + MU) ** 2 + z**2) ** 1.5
    return [
        u,
        v,
        x + 2 * v - (1 - MU) * (x + MU) / d1 - MU * (x - 1 + MU) / d2,
        z - 2 * u - (1 - MU) * z / d1 - MU * z / d2,
    ]


def lotka_volterra(t, y):
    return [1.5 * y[0] - y[0] * y[1], y[0] * y[1] - 3.0 * y[1]]


def van_der_pol(t, y):
    return [y[1], (1 - y[0] ** 2) * y[1] - y[0]]


PROBLEMS = {
    "arenstorf": (arenstorf, [0.994, 0.0, 0.0, -2.00158510637908252240537862224], 8.0, 1e-3),
    "lotka_volterra": (lotka_volterra, [10.0, 5.0], 10.0, 0.05),
    "van_der_pol": (van_der_pol, [2.0, 0.0], 20.0, 0.1),
}
SOLVERS = {"bogacki_shampine": RK23, "dormand_prince": RK45, "dop853": DOP853}
FRACTIONS = [0.1, 0.35, 0.5, 0.8, 0.95]

out = {"scipy": scipy.__version__, "fractions": FRACTIONS, "problems": []}
for name, (rates, y0, t_end, h) in PROBLEMS.items():
    problem = {"name": name, "y0": y0, "t_end": t_end, "h": h, "methods": []}
    for method, solver in SOLVERS.items():
        # Whole runs at the tolerance each method can reach in reasonable time.
        rtol = {"bogacki_shampine": 1e-8, "dormand_prince": 1e-10, "dop853": 1e-12}[method]
        times = np.linspace(0, t_end, 6)
        run = solve_ivp(rates, (0, t_end), y0, solver, t_eval=times, rtol=rtol, atol=rtol)
        # A single step with its dense output; a loose tolerance, so that it is accepted.
        single = solver(rates, 0.0, np.array(y0), t_end, first_step=h, rtol=1e3, atol=1e3)
        single.step()
        assert single.t == h
        dense = single.dense_output()
        problem["methods"].append(
            {
                "method": method,
                "rtol": rtol,
                "times": times.tolist(),
                "states": run.y.T.tolist(),
                "evaluations": run.nfev,
                "step": single.y.tolist(),
                "dense": [dense(f * h).tolist() for f in FRACTIONS],
            }
        )
    out["problems"].append(problem)

path = pathlib.Path(__file__).with_name("scipy.json")
path.write_text(json.dumps(out, indent=1) + "\n")
