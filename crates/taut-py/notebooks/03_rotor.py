# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # A rotating blade
# Campbell diagram of a cantilever on a turning hub. Wright et al. (1982) give 13.17 for the first flap frequency at a speed of 12.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import taut

MODELS = next(p / "models" for p in [Path.cwd(), *Path.cwd().parents] if (p / "models/four_bar.toml").exists())
m = taut.load(MODELS / "modes/rotating_cantilever.toml")
found = taut.campbell(m, "omega", np.linspace(0, 12, 7), number=3, static=True, rotating_about="z")
first = 2 * np.pi * np.nanmin(found.frequencies, axis=0)
print(np.round(first, 2))
assert abs(first[-1] - 13.17) < 0.05

# %%
ax = found.plot()
for n in range(1, 4):
    ax.plot(found.values, n * found.values / (2 * np.pi), ":", color="grey")
ax.set_ylim(0, 8)
plt.tight_layout()
