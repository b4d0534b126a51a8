# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # A sweep
# Peak reactions of a four-bar linkage over the length of its crank and the mass of its rocker. The engine uses all cores; the model is
# parsed once.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import taut

MODELS = next(p / "models" for p in [Path.cwd(), *Path.cwd().parents] if (p / "models/four_bar.toml").exists())
m = taut.load(MODELS / "four_bar.toml")

found = taut.sweep(
    m,
    {"a": np.linspace(0.1, 0.5, 21), "rocker.mass": "1 kg, 2 kg, 4 kg"},
    measure={
        "peak": "max(sqrt(elbow.fx^2 + elbow.fy^2))",
        "swing": lambda sol: np.ptp(sol["rocker.theta"]),
    },
    t=np.pi,
)
print(found)
assert found.complete and not len(found.failed)

# %% [markdown]
# Formulas are evaluated by the engine, peaks between the rows included; a function gets the solution of the member.

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 3.5))
found.plot("peak", "a", ax=axes[0])
found.plot("swing", "a", ax=axes[1])
axes[1].set_ylabel("swing [rad]")
axes[1].get_legend().remove()
plt.tight_layout()

# %% [markdown]
# A member is a row, also if it fails: a crank that is too long cannot be assembled.

# %%
failing = taut.sweep(m, {"a": [0.3, 3.0]}, measure={"swing": "range(rocker.theta)"}, t=np.pi)
print(failing["status"], failing["message"][1])

# %% [markdown]
# An executor, or a cluster with `executor=dask.distributed.Client(...)`, gives the same table, bit for bit.

# %%
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(2) as pool:
    again = taut.sweep(m, {"a": [0.2, 0.3]}, measure="range(rocker.theta)", t=np.pi, executor=pool)
assert again.to_csv() == taut.sweep(m, {"a": [0.2, 0.3]}, measure="range(rocker.theta)", t=np.pi, jobs=1).to_csv()
