"""[Newhart2019]: static example, pendulum under all methods, Scotch mechanism, slider-crank, equations as printed."""
import mpmath
import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipj

from .explicit import BOGACKI_SHAMPINE, Largest, Proportional, integrate, rk4
from .masarati_pendulum import exact as exact_pendulum

G = 9.81


def static():
    """Eqs. (59) to (67), listing A.1."""
    k1, k2, load = 200e3 * 1200 / 4500, 70e3 * 900 / 3000, 30e3
    K = np.zeros((5, 5))
    for i, j, k in ((0, 2, k1), (1, 3, k2)):
        K[i, i] += k
        K[j, j] += k
        K[i, j] -= k
        K[j, i] -= k
    Bm = np.array([[1, 0, 0, 0, -2 / 6], [0, 1, 0, 0, -5 / 6]])
    Cc = np.diag([0.0, 0, 1, 1, 0])
    C = 1e4 * K.max()
    F = np.array([0, 0, 0, 0, load])
    Kc = K + C * (Bm.T @ Bm + Cc)
    penalty = np.linalg.solve(Kc, F)
    literal = np.linalg.solve(K + C * (Bm.T @ Bm + C * Cc), F)
    q5 = load / (k1 * (2 / 6) ** 2 + k2 * (5 / 6) ** 2)
    exact = np.array([q5 * 2 / 6, q5 * 5 / 6, 0, 0, q5])
    return {
        "exact_mm": exact.tolist(),
        "penalty_mm": penalty.tolist(),
        "literal_mm": literal.tolist(),
        "relative_penalty_error": abs(penalty[4] - exact[4]) / exact[4],
        "K_1e4": [K[0, 0] / 1e4, K[1, 1] / 1e4],
        "C": C,
        "Kc_1e8": {"11": Kc[0, 0] / 1e8, "13": Kc[0, 2] / 1e8, "15": Kc[0, 4] / 1e8, "22": Kc[1, 1] / 1e8, "24": Kc[1, 3] / 1e8,
                   "25": Kc[1, 4] / 1e8, "33": Kc[2, 2] / 1e8, "44": Kc[3, 3] / 1e8, "55": Kc[4, 4] / 1e8},
    }


# The pendulum: q = (x, y, z), C = (x^2 + y^2 - 1, z), gravity along +y.
F = np.array([0.0, G, 0.0])


def rows(q, v):
    C = np.array([q[0] ** 2 + q[1] ** 2 - 1, q[2]])
    Cq = np.array([[2 * q[0], 2 * q[1], 0], [0, 0, 1.0]])
    gamma = np.array([-2 * v[0] ** 2 - 2 * v[1] ** 2, 0.0])
    return C, Cq, gamma


def static_penalty(mu, alpha=0.0, beta=0.0, sign=-1.0):
    """Eq. (71), and eq. (72) with the sign of B: -1 is right, +1 as printed."""
    def rhs(t, y):
        C, Cq, gamma = rows(y[:3], y[3:])
        gamma = gamma + sign * (2 * alpha * Cq @ y[3:] + beta ** 2 * C)
        return np.concatenate([y[3:], np.linalg.solve(np.eye(3) + mu * Cq.T @ Cq, F + mu * Cq.T @ gamma)])
    return rhs


def projection(alpha=0.0, beta=0.0, last_sign=1.0):
    """Eq. (48); `last_sign` -1 is the last line as printed."""
    def rhs(t, y):
        C, Cq, gamma = rows(y[:3], y[3:])
        gamma = gamma - 2 * alpha * Cq @ y[3:] - beta ** 2 * C
        S = Cq @ Cq.T
        return np.concatenate([y[3:], F - Cq.T @ np.linalg.solve(S, Cq @ F - last_sign * gamma)])
    return rhs


def alternate(mu):
    """Eq. (52)."""
    def rhs(t, y):
        C, Cq, _ = rows(y[:3], y[3:])
        return np.concatenate([y[3:], F - mu * Cq.T @ C])
    return rhs


def index2_static(mu):
    """Both blocks of eq. (55) with a penalty on each."""
    def rhs(t, y):
        C, Cq, gamma = rows(y[:3], y[3:])
        N = np.eye(3) + mu * Cq.T @ Cq
        return np.concatenate([np.linalg.solve(N, y[3:]), np.linalg.solve(N, F + mu * Cq.T @ gamma)])
    return rhs


def index2(mu):
    """Eq. (58): penalties on C' and on C'."""
    def rhs(t, y):
        C, Cq, _ = rows(y[:3], y[3:])
        return np.concatenate([y[3:] - mu * Cq.T @ C, F - mu * Cq.T @ (Cq @ y[3:])])
    return rhs


def corrected(rhs):
    """The argument of the right-hand side put on the constraints first, as the listings intend."""
    def inner(t, y):
        q, v = y[:3].copy(), y[3:].copy()
        for _ in range(20):
            C, Cq, _ = rows(q, v)
            if np.max(abs(C)) <= 1e-12:
                break
            q -= Cq.T @ np.linalg.solve(Cq @ Cq.T, C)
        Cq = rows(q, v)[1]
        v -= Cq.T @ np.linalg.solve(Cq @ Cq.T, Cq @ v)
        return rhs(t, np.concatenate([q, v]))
    return inner


def ode23(rhs, y0, t_end, same=True):
    control = Proportional(3, norm="max") if same else Largest(3, least=0.5)
    h = 1e-4
    if not same:
        # The first step of ode23: at most the first output interval.
        y, f = np.array(y0, float), np.asarray(rhs(0.0, np.array(y0, float)))
        rate = 1.25 * np.max(abs(f) / np.maximum(abs(y), 1e-3)) / (1e-3) ** (1 / 3)
        h = min(h, 1 / rate) if rate > 0 else h
    return integrate(rhs, y0, t_end, 1e-3, 1e-6, BOGACKI_SHAMPINE, control, h, 0.1 * t_end if not same else 0.5)


def exact_x(t):
    """x of the exact motion, in double precision."""
    _, cn, dn, _ = ellipj(np.sqrt(G) * np.asarray(t), 0.5)
    s = np.sqrt(0.5) * cn / dn
    return 2 * s * np.sqrt(1 - s * s)


def measured(run):
    """Counts, and errors at the ends of the steps."""
    t, y = np.array(run.t), np.array(run.y)
    return {
        "steps": run.steps,
        "rejected": run.rejected,
        "evaluations": run.evaluations,
        "x_error": float(np.max(abs(y[:, 0] - exact_x(t)))),
        "length_error": float(np.max(abs(y[:, 0] ** 2 + y[:, 1] ** 2 - 1))),
    }


START = [1, 0, 0, 0, 0, 0]
PENDULUM = {
    "static_penalty": static_penalty(1e5),
    "static_penalty_corrected": corrected(static_penalty(1e5)),
    "static_penalty_baumgarte": static_penalty(1e5, 20, 20),
    "projection": projection(),
    "projection_corrected": corrected(projection()),
    "projection_baumgarte": projection(20, 20),
    "alternate_penalty": alternate(1e5),
    "index2_eq55": index2_static(1e5),
    "index2_eq58": index2(1e3),
    "static_penalty_baumgarte_text": static_penalty(1e5, 20, 4.4721),
}


def pendulum_runs(same):
    found = {name: measured(ode23(rhs, START, 5.0, same)) for name, rhs in PENDULUM.items()}
    run = ode23(lambda t, y: np.array([y[1], -G * np.sin(y[0])]), [np.pi / 2, 0], 5.0, same)
    x = np.sin(np.array(run.y)[:, 0])
    found["direct"] = {"steps": run.steps, "rejected": run.rejected, "evaluations": run.evaluations,
                       "x_error": float(np.max(abs(x - exact_x(run.t))))}
    return {"runs": found}


def sweep(same, quick):
    found = {}
    for power in range(1, 9):
        mu = 10.0 ** power
        methods = {"static_penalty": static_penalty(mu), "static_penalty_baumgarte": static_penalty(mu, 20, 20)}
        if power <= (4 if quick else 8):
            methods["alternate_penalty"] = alternate(mu)
        found[f"1e{power}"] = {}
        for name, rhs in methods.items():
            m = measured(ode23(rhs, START, 5.0, same))
            found[f"1e{power}"][name] = {k: m[k] for k in ("steps", "evaluations", "x_error")}
    return {"runs": found}


def round_off():
    """Errors with large penalties, integrated to 1e-9: they fall as 1/mu, then round-off of the ill-conditioned matrix takes over."""
    errors = {}
    for power in (7, 8, 9):
        s = solve_ivp(static_penalty(10.0 ** power), (0, 5), START, method="DOP853", rtol=1e-9, atol=1e-9)
        errors[f"1e{power}"] = float(np.max(abs(s.y[0] - exact_x(s.t))))
    return {"x_error": errors, "log10_ratio_1e9_1e8": float(np.log10(errors["1e9"] / errors["1e8"]))}


def eq48_printed():
    """x at 5 s with the last line of (48) as printed; two tolerances agree to 1e-9."""
    found = [tight(projection(last_sign=-1.0), START, [5.0], tolerance)[0][-1] for tolerance in (1e-11, 1e-12)]
    assert abs(found[0] / found[1] - 1) < 1e-9
    return float(found[1])


def tight(rhs, y0, times, rtol=1e-13):
    s = solve_ivp(rhs, (0, max(times)), y0, method="DOP853", rtol=rtol, atol=0.1 * rtol, t_eval=times)
    return s.y


# Scotch mechanism: q = (theta, x), inches and pounds.
def scotch(divisor, b):
    g, L = 386.4, 25.0
    m1, m2 = 0.5 / divisor, 5.0 / divisor
    M = np.array([m1 * (4 * L * L + b * b) / 12, m2])

    def parts(t, y, alpha=0.0):
        C = np.array([y[1] - L * np.cos(y[0])])
        Cq = np.array([[L * np.sin(y[0]), 1.0]])
        f = np.array([-0.5 * m1 * g * L * np.cos(y[0]), np.sin(np.pi / 4 * t)])
        gamma = np.array([-L * np.cos(y[0]) * y[2] ** 2]) - 2 * alpha * Cq @ y[2:] - alpha ** 2 * C
        return Cq, f, gamma

    def project(alpha):
        def rhs(t, y):
            Cq, f, gamma = parts(t, y, alpha)
            S = (Cq / M) @ Cq.T
            return np.concatenate([y[2:], (f - Cq.T @ np.linalg.solve(S, (Cq / M) @ f - gamma)) / M])
        return rhs

    def penalise(mu, alpha):
        def rhs(t, y):
            Cq, f, gamma = parts(t, y, alpha)
            return np.concatenate([y[2:], np.linalg.solve(np.diag(M) + mu * Cq.T @ Cq, f + mu * Cq.T @ gamma)])
        return rhs
    return M, project, penalise, [1.0, L * np.cos(1.0), 0, 0]


def difference(project, penalise, y0, t_end, mu, h=1e-3):
    """Largest |penalty - projection| of each coordinate and velocity: both by the classical Runge-Kutta method with the same steps."""
    paths = []
    for rhs in (penalise(mu, 20), project(20)):
        path = [np.array(y0, float)]
        rk4(rhs, y0, t_end, h, lambda t, y: path.append(y))
        paths.append(np.array(path))
    return np.max(abs(paths[0] - paths[1]), axis=0).tolist()


def exact_difference(divisor, b, mu, h="0.001", alpha=20):
    """The same of the Scotch mechanism with 40 digits, free of round-off."""
    mpmath.mp.dps = 40
    g, L, h = mpmath.mpf("386.4"), mpmath.mpf(25), mpmath.mpf(h)
    m1, m2 = mpmath.mpf("0.5") / mpmath.mpf(divisor), 5 / mpmath.mpf(divisor)
    I, mu = m1 * (4 * L * L + mpmath.mpf(b) ** 2) / 12, mpmath.mpf(mu)

    def rates(t, y, penalty):
        s, c = mpmath.sin(y[0]), mpmath.cos(y[0])
        a, f, push = L * s, -m1 * g * L * c / 2, mpmath.sin(mpmath.pi / 4 * t)
        gamma = -L * c * y[2] ** 2 - 2 * alpha * (a * y[2] + y[3]) - alpha ** 2 * (y[1] - L * c)
        # M q'' = F + C_q^T lambda with lambda = mu (gamma - C_q q''), and its limit.
        free, inverse = a * f / I + push / m2, a * a / I + 1 / m2
        force = (gamma - free) / (inverse + (1 / mu if penalty else 0))
        return [y[2], y[3], (f + a * force) / I, (push + force) / m2]

    def step(t, y, penalty):
        add = lambda k, part: [x + part * d for x, d in zip(y, k)]
        k1 = rates(t, y, penalty)
        k2 = rates(t + h / 2, add(k1, h / 2), penalty)
        k3 = rates(t + h / 2, add(k2, h / 2), penalty)
        k4 = rates(t + h, add(k3, h), penalty)
        return [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(y, k1, k2, k3, k4)]

    paths = [[mpmath.mpf(1), L * mpmath.cos(1), mpmath.mpf(0), mpmath.mpf(0)] for _ in range(2)]
    most = [mpmath.mpf(0)] * 4
    for i in range(4000):
        paths = [step(i * h, y, penalty) for y, penalty in zip(paths, (True, False))]
        most = [max(x, abs(a - b)) for x, a, b in zip(most, *paths)]
    return [float(x) for x in most]


def scotch_values(divisor, b, mu):
    M, project, penalise, y0 = scotch(divisor, b)
    t = [0.5, 1.0, 2.0, 3.0, 4.0]
    y = tight(project(0.0), y0, t)
    return {
        "t": t, "theta": y[0].tolist(), "x_in": y[1].tolist(), "M11": float(M[0]),
        "penalty_minus_projection": exact_difference(str(divisor), str(b), mu),
    }


# Slider-crank: q = (theta1, theta2 relative, x3).
def slider(coupled):
    L = 2.0

    def parts(t, y, alpha=0.0):
        a, b, x, u, w, v = y
        s1, c1, s12, c12, s2, c2 = np.sin(a), np.cos(a), np.sin(a + b), np.cos(a + b), np.sin(b), np.cos(b)
        C = np.array([L * s1 + L * s12 - x, -L * c1 - L * c12])
        Cq = np.array([[L * c1 + L * c12, L * c12, -1], [L * s1 + L * s12, L * s12, 0]])
        gamma = np.array([(L * s1 + L * s12) * u * u + L * s12 * (2 * u * w + w * w),
                          -(L * c1 + L * c12) * u * u - L * c12 * (2 * u * w + w * w)])
        gamma = gamma - 2 * alpha * Cq @ y[3:] - alpha ** 2 * C
        M = np.diag([4 / 3, 4 / 3, 1.0])
        if coupled:
            M[0, 0] = L * L / 3 + L * L + L * L / 3 + L * L * c2
            M[0, 1] = M[1, 0] = L * L / 3 + L * L * c2 / 2
        f = np.array([2 * s2 * (w * w + 2 * u * w) - G * (2 * s1 + s12) - G * s1, -2 * s2 * u * u - G * s12, 0])
        return M, Cq, f, gamma

    def project(alpha):
        def rhs(t, y):
            M, Cq, f, gamma = parts(t, y, alpha)
            a, X = np.linalg.solve(M, f), np.linalg.solve(M, Cq.T)
            return np.concatenate([y[3:], a - X @ np.linalg.solve(Cq @ X, Cq @ a - gamma)])
        return rhs

    def penalise(mu, alpha):
        def rhs(t, y):
            M, Cq, f, gamma = parts(t, y, alpha)
            return np.concatenate([y[3:], np.linalg.solve(M + mu * Cq.T @ Cq, f + mu * Cq.T @ gamma)])
        return rhs
    return parts, project, penalise, [3 * np.pi / 4, -np.pi / 2, 4 * np.sin(3 * np.pi / 4), 0, 0, 0]


def true_energy(y):
    a, b, u, w, v = y[0], y[1], y[3], y[4], y[5]
    T = 0.5 * (4 / 3 * u * u + 4 * u * u + 4 / 3 * (u + w) ** 2 + 4 * u * (u + w) * np.cos(b)) + 0.5 * v * v
    return T - G * (3 * np.cos(a) + np.cos(a + b))


def slider_values(coupled, t_end):
    parts, project, penalise, y0 = slider(coupled)
    t = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, t_end]
    y = tight(project(0.0), y0, t)
    found = {"t": t, "theta1": y[0].tolist(), "theta2": y[1].tolist(), "x3": y[2].tolist(),
             "penalty_minus_projection": difference(project, penalise, y0, t_end, 1e5)}
    if not coupled:
        path = tight(project(0.0), y0, np.linspace(0, t_end, 1801))
        energy = true_energy(path)
        found["energy_error_J"] = float(np.max(abs(energy - energy[0])))
    else:
        # One freedom: theta2 = pi - 2 theta1 while the slider runs on its line; Lagrange's equation of theta1 alone.
        def rhs(t, y):
            a, u = y
            b, w = np.pi - 2 * a, -2 * u
            M, Cq, f, _ = parts(t, np.array([a, b, 4 * np.sin(a), u, w, 4 * np.cos(a) * u]))
            r = np.array([1.0, -2.0, 4 * np.cos(a)])
            bend = np.array([0, 0, -4 * np.sin(a) * u * u])
            return [u, r @ (f - M @ bend) / (r @ M @ r)]

        def folded(t, y):
            return np.sin(y[0])
        folded.terminal = True
        s = solve_ivp(rhs, (0, 1.9), [3 * np.pi / 4, 0], method="DOP853", rtol=1e-13, atol=1e-14, events=folded, dense_output=True)
        assert np.max(abs(s.sol(t)[0] - y[0])) < 1e-9, "the one freedom"
        found["fold_s"] = float(s.t_events[0][0])
    return found


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def free_body():
    """Eqs. (4), (5) against Newton and Euler about the mass centre."""
    rot, Jc, Rc = [0.4, -0.8, 0.3], [0.2, 0.35, 0.5], np.array([0.3, -0.1, 0.2])
    T_R, T_r, f_b, m = np.array([1.0, 2.0, -0.5]), np.array([0.3, -0.2, 0.6]), np.array([0.0, -16.677, 0.0]), 1.7
    w = np.array([0.7, -1.1, 0.4])
    A, W, R, J = Rotation.from_rotvec(rot).as_matrix(), cross(w), cross(Rc), np.diag(Jc)
    # Unknowns: acceleration of the reference point, angular acceleration in the body. The forces T_R act there, f_b at the centre.
    left, right = np.zeros((6, 6)), np.zeros(6)
    # m (r'' + A (w' x Rc + w x (w x Rc))) = T_R + f_b
    left[:3, :3], left[:3, 3:], right[:3] = m * np.eye(3), -m * A @ R, T_R + f_b - m * A @ W @ W @ Rc
    # J w' + w x J w = T_r - Rc x A^T T_R, the moment about the centre
    left[3:, 3:], right[3:] = J, T_r - R @ A.T @ T_R - W @ J @ w
    truth = np.linalg.solve(left, right)
    JR = J + m * R.T @ R
    printed = np.block([[m * np.eye(3), (-m * A @ R).T], [-m * A @ R, JR]])
    force = np.concatenate([T_R + f_b - m * A @ W @ W @ Rc, T_r + R.T @ f_b - W @ JR @ w])
    return {
        "A_rotvec": rot, "Jc": Jc, "Rc": Rc.tolist(), "T_R": T_R.tolist(), "T_r": T_r.tolist(), "f_b": f_b.tolist(), "m": m,
        "omega": w.tolist(), "truth": truth.tolist(), "error_printed": float(np.max(abs(np.linalg.solve(printed, force) - truth))),
    }


def direction_cosines():
    f, t, p = 0.7, 0.5, -0.4
    R = Rotation.from_euler("ZXZ", [f, t, p]).as_matrix()
    R[1, 0] = np.sin(f) * np.cos(p) + np.cos(f) * np.cos(t) * np.cos(p)
    return {"defect_printed": float(np.max(abs(R @ R.T - np.eye(3))))}


def euler_parameters():
    """Eq. (32) from quaternion kinematics and Euler's equations."""
    J, n, w = np.diag([0.2, 0.35, 0.5]), np.array([0.3, -0.2, 0.6]), np.array([0.7, -1.1, 0.4])
    p = np.array([0.0012571213769568279, 0.3052947823033319, -0.2801476385953972, -0.9101158256692538])
    p /= np.linalg.norm(p)
    G_of = lambda p: np.hstack([-p[1:, None], p[0] * np.eye(3) - cross(p[1:])])
    Gm = G_of(p)
    pd = 0.5 * Gm.T @ w
    alpha = np.linalg.solve(J, n - np.cross(w, J @ w))
    pdd = 0.5 * Gm.T @ alpha - 0.25 * (w @ w) * p
    Gd = G_of(pd)
    left = 4 * Gm.T @ J @ Gm
    residual = left @ pdd - 2 * Gm.T @ n - 8 * Gd.T @ J @ Gd @ p
    return {"J": [0.2, 0.35, 0.5], "n": n.tolist(), "omega_body": w.tolist(), "p": p.tolist(), "pddot": pdd.tolist(),
            "lambda": abs(0.5 * residual @ p), "rank": int(np.linalg.matrix_rank(left)), "residual_without": float(np.max(abs(residual)))}


def compute(quick=False):
    t = [1.0, 2.0, 3.0, 4.0, 5.0]
    places = [exact_pendulum(x) for x in t]
    values = {
        "static": static(),
        "pendulum": {"t": t, "x": [p[0] for p in places], "y": [-p[1] for p in places]},
        "scotch": scotch_values(386.4, 0.05, 1e5),
        "scotch_table": scotch_values(386.4, 2.0, 1e7),
        "scotch_literal": scotch_values(1.0, 2.0, 1e7),
        "slider_thesis": slider_values(False, 1.8),
        "slider_physical": slider_values(True, 1.6),
        "eq29": direction_cosines(),
        "eq32": euler_parameters(),
        "eq4_5": free_body(),
        "penalty_sweep": sweep(True, quick),
        "penalty_round_off": round_off(),
    }
    if not quick:
        values |= {
            "pendulum_runs": pendulum_runs(True),
            "pendulum_runs_ode23": pendulum_runs(False),
            "pendulum_printed": {"x_eq48": eq48_printed()},
        }
    return values
