# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # Beams and modes
# A cantilever made of beam elements: its frequencies against Euler and Bernoulli, its shapes, its response.

# %%
import matplotlib.pyplot as plt
import numpy as np
import taut

L, r, E, rho, n = 1.0, 0.005, 70e9, 2700.0, 12
m = taut.Model("Cantilever")
m.beam("rod", **{"from": [0, 0, 0], "to": [L, 0, 0]}, elements=n,
       section={"shape": "circle", "radius": r, "E": E, "nu": 0.33, "density": rho})
m.joint("root", type="fixed", a="ground", b="rod_0")
found = taut.modes(m, 6)
area, inertia = np.pi * r**2, np.pi * r**4 / 4
exact = np.array([1.875104, 4.694091]) ** 2 * np.sqrt(E * inertia / (rho * area * L**4)) / (2 * np.pi)
print(np.round(found.frequencies, 3), np.round(exact, 3))
assert abs(found.frequencies[0] / exact[0] - 1) < 0.01

# %%
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
nodes = [b for b in m.bodies if b.startswith("rod_")]
x = np.linspace(0, L, len(nodes))
for k in (0, 2):
    shape = np.array([found.marker_shapes[k][node][:3] for node in nodes if node in found.marker_shapes[k]])
    real = np.real(shape * np.exp(-1j * np.angle(shape[-1, np.argmax(np.abs(shape[-1]))])))
    across = real[:, np.argmax(np.abs(real[-1]))]
    axes[0].plot(np.linspace(0, L, len(across)), across / np.abs(across).max(), label=f"{found.frequencies[k]:.1f} Hz")
axes[0].set(xlabel="x [m]", ylabel="deflection")
axes[0].legend()
tip = nodes[-1]
f = np.linspace(1, 60, 400)
taut.response(m, f"{tip}.fz", [f"{tip}.z"], f).plot(axes[1])
figure.tight_layout()
