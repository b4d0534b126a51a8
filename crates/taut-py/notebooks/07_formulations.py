# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # Formulations compared
# One model, several published formulations: drift, energy, error and time.

# %%
import matplotlib.pyplot as plt
import taut

m = taut.Model("Double pendulum", gravity=[0, -9.81, 0])
m.body("a", type="point_mass", mass=1, position=[1, 0, 0]).body("b", type="point_mass", mass=1, position=[2, 0, 0])
m.joint("upper", type="rod", a="ground", b="a", length=1).joint("lower", type="rod", a="a", b="b", length=1)
found = taut.lab(m, t=1, formulations=["constraint_force", "null_space", "udwadia_kalaba_schur"],
                 drifts=["projection", "baumgarte", "none"], tolerances=[1e-5, 1e-7, 1e-9], jobs=1)
for trial in found.trials[:9]:
    print(f"{trial['formulation']:<20}{trial['drift']:<14}{trial['rtol']:<10.0e}{trial['outcome']:<12}{trial['phi']:.1e}")

# %%
found.plot()
plt.tight_layout()
