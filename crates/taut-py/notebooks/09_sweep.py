# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # A sweep
# Peak reactions of a four-bar linkage over the length of its crank, with all cores. The model is read once per member in each process.

# %%
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import taut

MODELS = next(p / "models" for p in [Path.cwd(), *Path.cwd().parents] if (p / "models/four_bar.toml").exists())
m = taut.load(MODELS / "four_bar.toml")


def member(length):
    """Peak force in the elbow; runs release the interpreter lock, so threads are enough."""
    sol = taut.simulate(m, t=np.pi, set={"a": float(length)}, dense=False)
    peak = next(r for r in sol.extremes()["reactions"] if r["name"] == "elbow")
    return peak["force"]["value"], sol.verdict


lengths = np.linspace(0.1, 0.5, 21)
with ThreadPoolExecutor() as pool:
    found = list(pool.map(member, lengths))

# %%
plt.plot(lengths, [force for force, _ in found], "o-")
plt.xlabel("crank [m]")
plt.ylabel("largest force in the elbow [N]")
plt.tight_layout()
print({verdict for _, verdict in found})
