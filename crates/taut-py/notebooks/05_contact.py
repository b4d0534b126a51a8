# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # Contact
# A ball that bounces: impacts are events with their impulse and the energy lost.

# %%
import matplotlib.pyplot as plt
import numpy as np
import taut

m = taut.Model("Bouncing ball", gravity=[0, 0, -9.81])
m.body("ball", type="rigid", mass=0.2, inertia=[8e-5, 8e-5, 8e-5], position=[0, 0, 1], velocity=[0.5, 0, 0])
m.surface("ball", marker="ball", shape="sphere", radius=0.03)
m.surface("floor", marker="ground", shape="half_space")
m.contact("bounce", between=["ball", "floor"], restitution=0.8, friction=0.3)
sol = taut.simulate(m, t=2, every=0.005)
print(sol)

# %%
impacts = [e for e in sol.events if e["what"] == "impact"]
for e in impacts[:3]:
    print(f"t = {e['t']:.6f} s, impulse {e['impulse']:.4f} N s, lost {e['lost']:.4f} J")
assert abs(impacts[0]["t"] - np.sqrt(2 * 0.97 / 9.81)) < 1e-9

# %%
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
sol.plot("ball.z", ax=axes[0])
axes[0].plot([e["t"] for e in impacts], np.full(len(impacts), 0.03), "rx")
axes[1].plot(sol.t, sol.energy.kinetic + sol.energy.potential)
axes[1].set(xlabel="t [s]", ylabel="mechanical energy [J]")
figure.tight_layout()
