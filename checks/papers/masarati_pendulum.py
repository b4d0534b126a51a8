"""[Masarati2010] 4.1: the pendulum. Elliptic functions with 30 digits; six drift controls under two step controls; eq. (8) as printed."""
import mpmath
import numpy as np

from .explicit import DORMAND_PRINCE, Largest, Proportional, integrate, rk4

G = 9.81


def exact(t):
    """(x, z) of a unit pendulum let go along the horizontal: sin(theta/2) = k cd(w t), k^2 = 1/2."""
    mpmath.mp.dps = 30
    u = mpmath.sqrt(mpmath.mpf("9.81")) * mpmath.mpf(t)
    m = mpmath.mpf(1) / 2
    s = mpmath.sqrt(m) * mpmath.ellipfun("cn", u, m=m) / mpmath.ellipfun("dn", u, m=m)
    return float(2 * s * mpmath.sqrt(1 - s * s)), float(-(1 - 2 * s * s))


def period():
    mpmath.mp.dps = 30
    return float(4 * mpmath.ellipk(mpmath.mpf(1) / 2) / mpmath.sqrt(mpmath.mpf("9.81")))


def onto(y):
    """Position and velocity on the constraint: Newton's iteration, then the projection of eq. (11a)."""
    q, v = y[:2].copy(), y[2:].copy()
    for _ in range(20):
        r = np.hypot(*q)
        if abs(r - 1) < 1e-15:
            break
        q -= q / r * (r - 1)
    a = q / np.hypot(*q)
    return np.concatenate([q, v - a * (a @ v)])


def accelerations(q, v, change=0.0):
    """Eq. (11b) for one row of unit length; `change` is subtracted from b''."""
    r = np.hypot(*q)
    a, f = q / r, np.array([0.0, -G])
    rate = a @ v
    b = -(v @ v - rate * rate) / r - change
    return f + a * (b - a @ f), a, r - 1, rate


def none(t, y):
    return np.concatenate([y[2:], accelerations(y[:2], y[2:])[0]])


def rates_only(t, y):
    return none(t, onto(y))


def velocity_only(t, y):
    """The velocity alone is projected, at the place as it is."""
    a = y[:2] / np.hypot(*y[:2])
    return none(t, np.concatenate([y[:2], y[2:] - a * (a @ y[2:])]))


def baumgarte(t, y):
    q, v = y[:2], y[2:]
    r = np.hypot(*q)
    rate = q @ v / r
    return np.concatenate([v, accelerations(q, v, 4 * rate + 4 * (r - 1))[0]])


def braun_goldfarb(gain):
    def rhs(t, y, h):
        q, v = y[:2], y[2:]
        g = gain if gain else (1 / h if h > 0 else 0.0)
        r = np.hypot(*q)
        a = q / r
        rate = a @ v
        return np.concatenate([v - a * (rate + g * (r - 1)), accelerations(q, v, g * rate)[0]])
    return rhs


CONTROLS = {
    "none": (none, {}),
    "rates_only": (rates_only, {}),
    "projection": (none, {"reset": lambda t, y: onto(y)}),
    "baumgarte_2_2": (baumgarte, {}),
    "braun_goldfarb_per_step": (braun_goldfarb(None), {"step_seen": True}),
    "braun_goldfarb_10": (braun_goldfarb(10.0), {"step_seen": True}),
}
SETTINGS = {"loose": (1e-3, 1e-6), "tight": (1e-9, 1e-9)}


def measured(name, run):
    y = np.array([onto(y) for y in run.y]) if name in ("rates_only", "projection") else np.array(run.y)
    r = np.hypot(y[:, 0], y[:, 1])
    energy = 0.5 * (y[:, 2] ** 2 + y[:, 3] ** 2) + G * y[:, 1]
    x, z = exact(10)
    return {
        "steps": run.steps,
        "rejected": run.rejected,
        "length_error": np.max(abs(r - 1)),
        "velocity_error": np.max(abs((y[:, 0] * y[:, 2] + y[:, 1] * y[:, 3]) / r)),
        "energy_change": energy[-1] - energy[0],
        "place_error": float(np.hypot(y[-1, 0] - x, y[-1, 1] - z)),
    }


def printed_sign():
    """Eq. (8) with the sign as printed."""
    def rhs(t, y):
        q, v = y[:2], y[2:]
        r = np.hypot(*q)
        a, f = q / r, np.array([0.0, -G])
        rate = a @ v
        return np.concatenate([v, f - a * (-(v @ v - rate * rate) / r - a @ f)])
    y = rk4(rhs, [1, 0, 0, 0], 1.0, 1e-4)
    return abs(np.hypot(y[0], y[1]) - 1)


def compute(quick=False):
    times = [0.5, 1, 2, 5, 10]
    places = [exact(t) for t in times]
    runs, counts = {}, {}
    for setting, (rtol, atol) in SETTINGS.items():
        runs[setting], counts[setting] = {}, {}
        for name, (rhs, options) in CONTROLS.items():
            collapse = (setting, name) == ("tight", "braun_goldfarb_per_step")
            if quick and collapse:
                continue
            # With the state reset, stages need a projection, of the velocity, at tight tolerances only.
            inner = velocity_only if (setting, name) == ("tight", "projection") else rhs
            # Three components without error: the third coordinate, its rate, and the work of the forces.
            run = integrate(inner, [1, 0, 0, 0], 10.0, rtol, atol, DORMAND_PRINCE, Proportional(5, idle=3), 0.01, 0.1, **options)
            runs[setting][name] = measured(name, run)
            if not collapse:
                # As in the paper, the right-hand side corrects its argument as well.
                inner = rates_only if name == "projection" else rhs
                run = integrate(inner, [1, 0, 0, 0], 10.0, rtol, atol, DORMAND_PRINCE, Largest(5), 0.01, 0.1, **options)
                counts[setting][name] = run.steps
    return {
        "pendulum": {"period_s": period(), "t": times, "x": [p[0] for p in places], "z": [p[1] for p in places]},
        "pendulum_runs": runs,
        "pendulum_steps": counts,
        "pendulum_eq8_printed_sign": {"length_error_at_1s": printed_sign()},
    }
