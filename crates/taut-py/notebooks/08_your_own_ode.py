# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # Constraints for your own ODE
# A falling particle becomes a pendulum, integrated by SciPy. The projection keeps the length to round-off.

# %%
import matplotlib.pyplot as plt
import numpy as np
import taut
from scipy.integrate import solve_ivp


def falling(t, y):
    return [y[2], y[3], 0.0, -9.81]


rod = taut.constrain(falling, phi=lambda t, q: q @ q - 1.0, q=[0, 1], v=[2, 3])
start = [1.0, 0.0, 0.0, 0.0]
plain = solve_ivp(rod, (0, 20), start, rtol=1e-6, atol=1e-6)
projected = rod.solve_ivp((0, 20), start, rtol=1e-6, atol=1e-6)

# %%
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
axes[0].plot(*projected.y[:2])
axes[0].set_aspect("equal")
for name, found in (("without projection", plain), ("with projection", projected)):
    axes[1].semilogy(found.t, np.abs(np.hypot(*found.y[:2]) - 1) + 1e-17, label=name)
axes[1].set(xlabel="t [s]", ylabel="error of the length")
axes[1].legend()
figure.tight_layout()
assert np.max(np.abs(np.hypot(*projected.y[:2]) - 1)) < 1e-12

# %% [markdown]
# Matrices: accelerations and multipliers of M v̇ = f + Aᵀ λ, A v̇ = b.

# %%
print(taut.accelerations(np.diag([1.0, 2.0]), [0.0, -9.81], [[1.0, 1.0]], [0.0]))
