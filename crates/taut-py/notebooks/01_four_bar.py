# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # A four-bar linkage
# Read a model, run it, look at reactions and at the path of a coupler point.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import taut
from taut import plots

MODELS = next(p / "models" for p in [Path.cwd(), *Path.cwd().parents] if (p / "models/four_bar.toml").exists())
m = taut.load(MODELS / "four_bar.toml")
print(m)
print(taut.check(m))

# %%
sol = taut.simulate(m, t=np.pi, every=0.01)
print(sol)
print(sol.extremes())

# %%
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
plots.strobe(sol, ["crank.pivot", "crank.tip", "coupler.right", "rocker.foot"], count=10, ax=axes[0])
plots.path(sol, "coupler.pen.x", "coupler.pen.y", ax=axes[0])
sol.plot("elbow.fx", "elbow.fy", ax=axes[1])
figure.tight_layout()

# %% [markdown]
# The transmission angle, from the dense output at any time.

# %%
t = np.linspace(0, np.pi, 500)
at = sol.at(t)
angle = np.degrees(at["rocker.theta"] - at["coupler.theta"]) % 180
print(f"transmission angle: {angle.min():.1f} to {angle.max():.1f} deg")
