# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # A controller
# A cart balances a pole: state feedback from the linearised model, then applied to the full one.

# %%
import matplotlib.pyplot as plt
import numpy as np
import taut
from scipy.linalg import solve_continuous_are

m = taut.Model("Cart and pole", gravity=[0, -9.81, 0])
m.variable("push", 0)
m.body("cart", type="planar", mass=1, inertia=0.1)
m.body("pole", type="planar", mass=0.2, shape={"type": "rod", "length": 1}, position=[0, 0.5], angle="90 deg",
       markers={"foot": [-0.5, 0]})
m.joint("rail", type="slider", a="ground", b="cart")
m.joint("hinge", type="pin", a="cart", b="pole.foot")
m.force("drive", type="formula", coordinate="cart.x", force="push.value")

# %%
states = ["cart.x", "cart.vx", "pole.theta", "pole.omega"]
system = taut.linearize(m, ["cart.fx"], states)
A, B, C = system.A, system.B, system.C
T = C  # the outputs determine the minimal state
A, B = T @ A @ np.linalg.inv(T), T @ B
P = solve_continuous_are(A, B, np.diag([10.0, 1.0, 100.0, 1.0]), np.eye(1))
gain = (B.T @ P).ravel()
print("gain", np.round(gain, 2))


# %%
def feedback(sim):
    error = sim.values(states) - [0.0, 0.0, np.pi / 2, 0.0]
    sim.inputs["push"] = -gain @ error


sol = taut.simulate(m, t=4, every=0.02, set={"pole.angle": "100 deg"}, controller=feedback, sample=0.01)
figure, axes = plt.subplots(1, 2, figsize=(10, 4))
axes[0].plot(sol.t, np.degrees(sol["pole.theta"]) - 90)
axes[0].set(xlabel="t [s]", ylabel="angle of the pole [deg]")
sol.plot("cart.x", ax=axes[1])
figure.tight_layout()
assert abs(sol["pole.theta"][-1] - np.pi / 2) < 0.02, sol["pole.theta"][-1]
