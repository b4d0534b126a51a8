# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # A delta robot: three closed loops
# The platform is prescribed; the hip angles follow, and inverse dynamics gives the torques.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import taut

MODELS = next(p / "models" for p in [Path.cwd(), *Path.cwd().parents] if (p / "models/four_bar.toml").exists())
m = taut.load(MODELS / "delta_robot.toml")
print(taut.check(m).text)

# %%
sol = taut.kinematics(m, every=0.02)
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
for i in (1, 2, 3):
    axes[0].plot(sol.t, np.degrees(sol[f"hip{i}.angle"]), label=f"hip {i}")
axes[0].set(xlabel="t [s]", ylabel="hip angle [deg]")
axes[0].legend()
for axis in "xyz":
    axes[1].plot(sol.t, sol[next(c for c in sol.columns if c.startswith(f"{axis}.lambda"))], label=axis)
axes[1].set(xlabel="t [s]", ylabel="force of the driver [N]")
axes[1].legend()
figure.tight_layout()

# %% [markdown]
# A robot from a URDF file, with a spring added in Python.

# %%
arm = taut.load(MODELS / "parts/double_pendulum.urdf")
print(arm, list(arm.joints))
print(taut.simulate(arm, t=1))
