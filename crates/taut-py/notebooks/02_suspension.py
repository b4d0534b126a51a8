# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # A double wishbone suspension
# Camber and toe over wheel travel, and the effect of one hardpoint.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import taut

MODELS = next(p / "models" for p in [Path.cwd(), *Path.cwd().parents] if (p / "models/four_bar.toml").exists())
m = taut.load(MODELS / "double_wishbone.toml")


# %%
def curves(sol):
    """Wheel travel in mm, camber and toe in degrees."""
    axle = np.column_stack([sol[f"upright.axle.{k}"] - sol[f"upright.{k}"] for k in "xyz"])
    travel = 1e3 * (sol["upright.z"] - sol["upright.z"][0])
    return travel, np.degrees(np.arcsin(axle[:, 2])), np.degrees(np.arctan2(axle[:, 0], axle[:, 1]))


figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
for height in (0.48, 0.50, 0.52):
    place = [-0.02, 0.70, height]
    sol = taut.simulate(m, every=0.01, set={"upper.markers.ball.at": place, "upright.markers.upper.at": place})
    assert sol.verdict == "sound", sol.warnings
    travel, camber, toe = curves(sol)
    axes[0].plot(camber, travel, label=f"upper ball joint at {height} m")
    axes[1].plot(toe, travel)
axes[0].set(xlabel="camber [deg]", ylabel="wheel travel [mm]")
axes[1].set(xlabel="toe [deg]")
axes[0].legend()
figure.tight_layout()
