"""[Kamaraj2021]: double four-bar and flapping blade."""
import numpy as np
from scipy.integrate import solve_ivp

from . import augmented_lagrangian
from .explicit import DORMAND_PRINCE, Largest, Proportional, integrate, rk4

G = 9.81


def one_freedom(t, y):
    """Eq. (18): theta'' = -(7 g / 6 l) cos theta."""
    return np.array([y[1], -7 * G / 6 * np.cos(y[0])])


def four_bar():
    t = [1.0, 5.0, 10.0]
    s = solve_ivp(one_freedom, (0, 10), [np.pi / 2, -1.0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=t)
    th, w = s.y

    def flat(t, y):
        return y[0]

    def turned(t, y):
        return y[0] + 3 * np.pi / 2
    e = solve_ivp(one_freedom, (0, 3), [np.pi / 2, -1.0], method="DOP853", rtol=1e-13, atol=1e-14, events=[flat, turned])
    upright, horizontal = jacobian(pose(np.pi / 2)), jacobian(pose(0.0))
    q = pose(np.pi / 2)
    x2, x3, x4, x5 = q[3], q[6], q[9], q[12]
    return {
        "t": t, "x": np.cos(th).tolist(), "y": np.sin(th).tolist(), "vx": (-np.sin(th) * w).tolist(), "vy": (np.cos(th) * w).tolist(),
        "first_singular_s": float(e.t_events[0][0]), "full_turn_s": float(e.t_events[1][0]),
        "energy_J": 1.5 * 1.0 + 3.5 * G,
        "rank_upright": int(np.linalg.matrix_rank(upright, tol=1e-9)), "rank_horizontal": int(np.linalg.matrix_rank(horizontal, tol=1e-9)),
        "printed_residual": float(max(abs(x) for x in (x3, x2 - 2 * x3 + 0.5, x4 - 2 * x3 - 0.5, x4 - 2 * x5 + 0.5, x5))),
    }


def pose(th):
    """Mass centres and angles of the five bars: cranks 1, 3, 5 at 0, 1, 2 m, couplers 2 and 4."""
    c, s = np.cos(th), np.sin(th)
    q = []
    for i in range(5):
        q += [i / 2 + c / 2, s / 2, th] if i % 2 == 0 else [i / 2 + c, s, 0.0]
    return np.array(q)


def velocity(th, w):
    c, s = np.cos(th), np.sin(th)
    v = []
    for i in range(5):
        v += [-s / 2 * w, c / 2 * w, w] if i % 2 == 0 else [-s * w, c * w, 0.0]
    return np.array(v)


# Rows of eq. (17), put right: (bar, other bar or None, sign of the bar's own half, pivot): x_a - 2 x_b - sign/2 cos(theta_a) - pivot.
ROWS = [(0, None, 1, 0.0), (1, 0, 1, 0.0), (2, None, 1, 1.0), (1, 2, -1, -1.0), (3, 2, 1, -1.0), (3, 4, -1, -2.0), (4, None, 1, 2.0)]


def constraint(q):
    phi = []
    for a, b, sign, pivot in ROWS:
        x, y, th = q[3 * a:3 * a + 3]
        bx, by = (2 * q[3 * b], 2 * q[3 * b + 1]) if b is not None else (0.0, 0.0)
        phi += [x - bx - sign / 2 * np.cos(th) - pivot, y - by - sign / 2 * np.sin(th)]
    return np.array(phi)


def jacobian(q):
    A = np.zeros((14, 15))
    for r, (a, b, sign, _) in enumerate(ROWS):
        th = q[3 * a + 2]
        A[2 * r, 3 * a], A[2 * r + 1, 3 * a + 1] = 1, 1
        A[2 * r, 3 * a + 2], A[2 * r + 1, 3 * a + 2] = sign / 2 * np.sin(th), -sign / 2 * np.cos(th)
        if b is not None:
            A[2 * r, 3 * b] = A[2 * r + 1, 3 * b + 1] = -2
    return A


def convective(q, v):
    """b of A v' = b."""
    b = np.zeros(14)
    for r, (a, _, sign, _) in enumerate(ROWS):
        th, w = q[3 * a + 2], v[3 * a + 2]
        b[2 * r], b[2 * r + 1] = -sign / 2 * np.cos(th) * w * w, -sign / 2 * np.sin(th) * w * w
    return b


ROOT = np.tile([1.0, 1.0, 1 / np.sqrt(12)], 5)
FREE = np.tile([0.0, -G, 0.0], 5)


def udwadia_kalaba(h, tolerance, law):
    """The Udwadia-Kalaba equation: M^-1/2 (A M^-1/2)^+ with small singular values left out. `law`: 'velocity' for Braun and Goldfarb's law,
    'position' for eq. (15) as printed, None without stabilisation."""
    def rhs(t, y):
        q, v = y[:15], y[15:]
        A = jacobian(q)
        P = (np.linalg.pinv(A / ROOT, rcond=tolerance)) / ROOT[:, None]
        b, qd = convective(q, v), v
        if law is not None:
            phi, rate = constraint(q), A @ v
            b = b - (rate if law == "velocity" else phi) / h
            qd = v + P @ (-phi / h - rate)
        return np.concatenate([qd, FREE + P @ (b - A @ FREE)])
    return rhs


def energy(y):
    q, v = y[:15].reshape(5, 3), y[15:].reshape(5, 3)
    return np.sum(0.5 * (v[:, 0] ** 2 + v[:, 1] ** 2 + v[:, 2] ** 2 / 12) + G * q[:, 1])


def four_bar_run(h, tolerance, law, t_end=10.0):
    y0 = np.concatenate([pose(np.pi / 2), velocity(np.pi / 2, -1.0)])
    start, worst = energy(y0), {"drift_J": 0.0, "phi": 0.0, "x_error": 0.0, "t_end": t_end}
    s = solve_ivp(one_freedom, (0, t_end), [np.pi / 2, -1.0], method="DOP853", rtol=1e-13, atol=1e-14, dense_output=True)

    def seen(t, y):
        drift = abs(energy(y) - start)
        worst["drift_J"] = max(worst["drift_J"], drift) if np.isfinite(drift) else np.inf
        if not drift < start:
            worst["t_end"] = t
            return True
        worst["phi"] = max(worst["phi"], np.max(abs(constraint(y[:15]))))
        worst["x_error"] = max(worst["x_error"], abs(y[0] * 2 - np.cos(s.sol(t)[0])))
        return False
    rk4(udwadia_kalaba(h, tolerance, law), y0, t_end, h, seen)
    # Of a run that diverges only the time is of interest.
    return worst if worst["t_end"] == t_end else {"t_end": worst["t_end"]}


def minimal_drift(h=1e-3):
    worst, start = [0.0], 1.5 + 3.5 * G
    rk4(one_freedom, [np.pi / 2, -1.0], 10.0, h, lambda t, y: worst.__setitem__(
        0, max(worst[0], abs(1.5 * y[1] ** 2 + 3.5 * G * np.sin(y[0]) - start))))
    return {"drift_J": worst[0]}


def minimal_varying(rtol, atol):
    """Eq. (18) by Dormand and Prince's pair with a varying step; the work has a share in the norm, but no error."""
    start, found = 1.5 + 3.5 * G, {}
    for name, control in (("same_control", Proportional(5, idle=1)), ("ode45", Largest(5))):
        run = integrate(one_freedom, [np.pi / 2, -1.0], 10.0, rtol, atol, DORMAND_PRINCE, control, 1e-3, 1.0)
        y = np.array(run.y)
        found[name] = float(np.max(abs(1.5 * y[:, 1] ** 2 + 3.5 * G * np.sin(y[:, 0]) - start)))
    return found


def generalised_alpha(h=0.008, rho=0.6):
    """Index 3 by the generalised-alpha method (Arnold and Bruls 2007), the pose at the end of each step solved by Newton's iteration."""
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + af - am
    beta = 0.25 * (gamma + 0.5) ** 2
    mass = ROOT ** 2
    q, v = pose(np.pi / 2), velocity(np.pi / 2, -1.0)
    A = jacobian(q)
    P = np.linalg.pinv(A / ROOT) / ROOT[:, None]
    vd = FREE + P @ (convective(q, v) - A @ FREE)
    a, lam = vd.copy(), np.zeros(14)
    start, worst = energy(np.concatenate([q, v])), 0.0
    bp, gp = (1 - am) / (h * h * beta * (1 - af)), gamma / (h * beta)
    for _ in range(round(10 / h)):
        qn = q + h * v + h * h * (0.5 - beta) * a
        vn = v + h * (1 - gamma) * a
        a = (af * vd - am * a) / (1 - am)
        qn, vn, vd = qn + h * h * beta * a, vn + h * gamma * a, np.zeros(15)
        for _ in range(30):
            A = jacobian(qn)
            r = np.concatenate([mass * (vd - FREE) + A.T @ lam, constraint(qn)])
            if np.max(abs(r[:15])) < 1e-9 and np.max(abs(r[15:])) < 1e-13:
                break
            # Derivative of A^T lambda: only the angles enter A.
            K = np.diag(mass * bp)
            for k, (bar, _, sign, _) in enumerate(ROWS):
                th = qn[3 * bar + 2]
                K[3 * bar + 2, 3 * bar + 2] += sign / 2 * (np.cos(th) * lam[2 * k] + np.sin(th) * lam[2 * k + 1])
            S = np.block([[K, A.T], [A, np.zeros((14, 14))]])
            d = np.linalg.lstsq(S, -r, rcond=1e-13)[0]
            qn, vn, vd, lam = qn + d[:15], vn + gp * d[:15], vd + bp * d[:15], lam + d[15:]
        a = a + (1 - af) / (1 - am) * vd
        q, v = qn, vn
        worst = max(worst, abs(energy(np.concatenate([q, v])) - start))
    return worst


# The blade.
LB, MB, LL, ML, K, W, B0 = 8.9, 100.0, 0.4, 2.0, 2900.0, 22.0, np.pi / 18
ICM = MB * LB ** 2 / 12
TIMES = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0]


def blade(rotary, hinge):
    """One freedom. hinge -1 points the blade outwards, +1 inwards as printed; rotary 1 adds the moment of a spinning rod."""
    def rhs(t, y):
        b, w = y
        # x_B = l_L - hinge l_B/2 cos b, z_B = l_B/2 sin b, and the angle itself with inertia I_cm
        xb, zb = hinge * LB / 2 * np.sin(b), LB / 2 * np.cos(b)
        inertia = ICM + MB * (xb ** 2 + zb ** 2)
        radius = LL - hinge * LB / 2 * np.cos(b)
        centrifugal = MB * radius * W * W * xb - rotary * ICM * W * W * np.sin(b) * np.cos(b)
        return [w, (centrifugal - K * b) / inertia]
    return rhs


def blade_motion(rotary, hinge):
    rhs = blade(rotary, hinge)

    def upward(t, y):
        return y[0]
    s = solve_ivp(rhs, (0, 5), [B0, 0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=TIMES, events=upward)
    passed = s.t_events[0]
    n = (len(passed) - 1) // 2
    return {"t": TIMES, "beta": s.y[0].tolist(), "beta_rate": s.y[1].tolist(), "frequency": float(2 * np.pi * n / (passed[2 * n] - passed[0]))}


def blade_frequencies():
    e, hinge = LL / (LL + LB), MB * LB ** 2 / 3
    formula = lambda near, inertia: W * np.sqrt(1 + 1.5 * e / near + K / (inertia * W * W))
    stiff = lambda rhs: np.sqrt(-rhs(0, [1e-7, 0])[1] / 1e-7)
    closed = np.sqrt((ICM + MB * (LL + LB / 2) * LB / 2) * W * W / hinge + K / hinge)
    no_rotary = np.sqrt((MB * (LL + LB / 2) * LB / 2 * W * W + K) / hinge)
    printed = np.sqrt((-MB * (LL - LB / 2) * LB / 2 * W * W + K) / hinge)
    assert abs(stiff(blade(1, -1)) - closed) < 1e-5 and abs(stiff(blade(0, -1)) - no_rotary) < 1e-5
    return {"physical": formula(1 - e, hinge), "no_rotary": no_rotary, "printed_signs": printed,
            "eq24_hinge": formula(1 - 3 * e, hinge), "eq24_centre": formula(1 - 3 * e, ICM)}


def blade_linear():
    w = blade_frequencies()["physical"]
    t = np.arange(1001) * 0.005
    s = solve_ivp(blade(1, -1), (0, 5), [B0, 0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=t)
    apart = abs(s.y[0] - B0 * np.cos(w * t))
    return {"deviation_0.5s": float(np.max(apart[t <= 0.5 + 1e-9])), "deviation_5s": float(np.max(apart))}


def blade_rk4(h=1e-3):
    """Eight coordinates (x, y, z of the blade, b; x, y, z of the link, a), eq. (15) with the speed in both of its rows."""
    m = np.array([MB, MB, MB, ICM, ML, ML, ML, ML * LL ** 2 / 12])
    root = np.sqrt(m)

    def rows(y):
        q, v = y[:8], y[8:]
        b, a, bd, ad = q[3], q[7], v[3], v[7]
        cb, sb, ca, sa = np.cos(b), np.sin(b), np.cos(a), np.sin(a)
        phi = np.array([q[0] - 2 * q[4] - LB / 2 * cb * ca, q[1] - 2 * q[5] - LB / 2 * cb * sa, q[2] - 2 * q[6] - LB / 2 * sb,
                        q[4] - LL / 2 * ca, q[5] - LL / 2 * sa, q[6]])
        A = np.zeros((7, 8))
        A[0, 0], A[0, 4], A[0, 3], A[0, 7] = 1, -2, LB / 2 * sb * ca, LB / 2 * cb * sa
        A[1, 1], A[1, 5], A[1, 3], A[1, 7] = 1, -2, LB / 2 * sb * sa, -LB / 2 * cb * ca
        A[2, 2], A[2, 6], A[2, 3] = 1, -2, -LB / 2 * cb
        A[3, 4], A[3, 7] = 1, LL / 2 * sa
        A[4, 5], A[4, 7] = 1, -LL / 2 * ca
        A[5, 6] = 1
        A[6, 7] = 1
        # Second derivatives of cos b cos a and so on, times the rates.
        xx = -(cb * ca) * (bd ** 2 + ad ** 2) + 2 * sb * sa * bd * ad
        yy = -(cb * sa) * (bd ** 2 + ad ** 2) - 2 * sb * ca * bd * ad
        c = np.array([-LB / 2 * xx, -LB / 2 * yy, LB / 2 * sb * bd ** 2, LL / 2 * ca * ad ** 2, LL / 2 * sa * ad ** 2, 0, 0])
        return phi, A, c

    def rhs(t, y):
        phi, A, c = rows(y)
        v, b, ad = y[8:], y[3], y[15]
        P = np.linalg.pinv(A / root) / root[:, None]
        rate = A @ v
        rate[6] -= W
        f = np.zeros(8)
        f[3] = (-K * b - ICM * ad ** 2 * np.sin(b) * np.cos(b)) / ICM
        qd = v + P @ (-np.append(phi, 0) / h - rate)
        return np.concatenate([qd, f + P @ (-c - rate / h - A @ f)])

    x = LL + LB / 2 * np.cos(B0)
    y0 = np.array([x, 0, LB / 2 * np.sin(B0), B0, LL / 2, 0, 0, 0, 0, W * x, 0, 0, 0, W * LL / 2, 0, W])
    found, worst = {}, [0.0, 0.0]

    def seen(t, y):
        worst[0] = max(worst[0], np.max(abs(rows(y)[0])))
        worst[1] = max(worst[1], abs(y[15] - W))
        found[round(t, 6)] = y[3]
        return False
    rk4(rhs, y0, 5.0, h, seen)
    return {"t": TIMES, "beta": [found[t] for t in TIMES], "phi": worst[0], "omega_error": worst[1]}


def compute(quick=False):
    values = {
        "double_four_bar": four_bar(),
        "blade": blade_motion(1, -1),
        "blade_no_rotary": blade_motion(0, -1),
        "blade_printed": blade_motion(0, 1),
        "blade_frequencies": blade_frequencies(),
        "blade_linear": blade_linear(),
    }
    if quick:
        return values
    runs = {
        "bg_1e-3": (1e-3, 1e-15, "velocity"), "bg_5e-4": (5e-4, 1e-15, "velocity"), "bg_2e-3": (2e-3, 1e-15, "velocity"),
        "bg_1e-3_pinv_1e-3": (1e-3, 1e-3, "velocity"), "bg_1e-3_pinv_1e-6": (1e-3, 1e-6, "velocity"),
        "printed": (1e-3, 1e-15, "position"), "printed_pinv_1e-3": (1e-3, 1e-3, "position"),
        "printed_pinv_1e-2": (1e-3, 1e-2, "position"), "plain": (1e-3, 1e-15, None),
    }
    values["double_four_bar_runs"] = {"runs": {k: four_bar_run(*v) for k, v in runs.items()} | {"minimal": minimal_drift()}}
    values["four_bar_minimal"] = {f"1e-{p}": minimal_varying(10.0 ** -p, 10.0 ** -p) for p in (3, 4, 5, 6)}
    drifts = {name: augmented_lagrangian.drift(float(name)) for name in ("1e9", "8e8", "1e12", "1e15")}
    values["four_bar_implicit"] = {"generalised_alpha": generalised_alpha(), "augmented_lagrangian": drifts}
    values["blade_rk4"] = blade_rk4()
    return values
