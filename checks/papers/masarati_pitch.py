"""[Masarati2010] 4.3: flap and pitch of a blade with a rigid pitch link, eqs. (28) to (30), table 3, or with a stiff control."""
import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from .explicit import DORMAND_PRINCE, Largest, Proportional, integrate

W, IB, IF, IX, GAMMA = 40.0, 416.67, 9.375e-2, 1.875e-2, 8.0
M = np.array([[IB, -IX], [-IX, IF]])
TIMES = [0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0]


def forces(t, q, v, nu2, kc=0.0):
    beta, theta = q
    moment = 1e4 * np.cos(W * t + np.pi / 2) - GAMMA / 16 * W * IB * v[0]
    return np.array([
        moment - IB * W * W * nu2 * beta + IX * W * W * theta,
        -IF * W * W * theta + IX * W * W * beta - kc * (theta + 0.25 * beta),
    ])


def link(q, v=(0.0, 0.0)):
    """phi of eq. (29), its gradient A, and the convective term of its second derivative, by hand."""
    (b, p), v = q, np.asarray(v)
    sb, cb, sp, cp = np.sin(b), np.cos(b), np.sin(p), np.cos(p)
    # x_A - x_B, its derivatives with respect to flap and pitch, and its second derivatives
    d = np.array([0.05 * cb - 0.2 * sb * sp - 0.05, 0.2 * cp - 0.2, 0.05 * sb + 0.2 * cb * sp + 0.15])
    db = np.array([-0.05 * sb - 0.2 * cb * sp, 0.0, 0.05 * cb - 0.2 * sb * sp])
    dp = np.array([-0.2 * sb * cp, -0.2 * sp, 0.2 * cb * cp])
    dbb = np.array([-0.05 * cb + 0.2 * sb * sp, 0.0, -0.05 * sb - 0.2 * cb * sp])
    dbp = np.array([-0.2 * cb * cp, 0.0, -0.2 * sb * cp])
    dpp = np.array([0.2 * sb * sp, -0.2 * cp, -0.2 * cb * sp])
    length = np.sqrt(d @ d)
    rate = db * v[0] + dp * v[1]
    bend = dbb * v[0] ** 2 + 2 * dbp * v[0] * v[1] + dpp * v[1] ** 2
    A = np.array([d @ db, d @ dp]) / length
    c = (rate @ rate + d @ bend) / length - (d @ rate) ** 2 / length ** 3
    return length - 0.15, A, c


def constrained(t, y, nu2):
    """Eq. (11b); lambda is positive for M v' + A^T lambda = f."""
    q, v = y[:2], y[2:4]
    phi, A, c = link(q, v)
    Mi = np.linalg.inv(M)
    a = Mi @ forces(t, q, v, nu2)
    lam = (A @ a + c) / (A @ Mi @ A)
    return a - Mi @ A * lam, lam


def onto(q, v, weight):
    """Positions by Newton's iteration, eq. (17), to 1e-12; then the velocity, eqs. (11a), (14a), with its multiplier."""
    Wi = np.linalg.inv(weight)
    for _ in range(20):
        phi, A, _ = link(q)
        if abs(phi) < 1e-12:
            break
        q = q - Wi @ A * phi / (A @ Wi @ A)
    A = link(q)[1]
    mu = A @ v / (A @ Wi @ A)
    return q, v - Wi @ A * mu, mu


def truth(nu2, extra=()):
    rhs = lambda t, y: np.concatenate([y[2:], constrained(t, y, nu2)[0]])
    # The drift of the link is removed by restarting from the constraint, at intervals of 0.05 s.
    y, t, stored, dense = np.zeros(4), 0.0, {0.0: np.zeros(4)}, []
    for end in np.round(np.arange(0.05, 2.0001, 0.05), 10):
        s = solve_ivp(rhs, (t, end), y, method="DOP853", rtol=1e-13, atol=1e-15, dense_output=True)
        dense.append((t, end, s.sol))
        q, v, _ = onto(s.y[:2, -1], s.y[2:, -1], M)
        y, t = np.concatenate([q, v]), float(end)
        stored[t] = y

    def at(x):
        for a, b, sol in dense:
            if a <= x <= b + 1e-12:
                return sol(min(x, b))
    return stored, at


def summary(nu2):
    stored, at = truth(nu2)
    force = lambda t: constrained(t, at(t), nu2)[1]
    period = 2 * np.pi / W
    n = 600
    t = 2.0 - 3 * period + 3 * period * np.arange(n) / n
    f = np.array([force(x) for x in t])
    size = lambda k: 2 / n * abs(np.sum(f * np.exp(-1j * k * W * t)))
    late = np.linspace(1.5, 2.0, 5001)
    late_force = np.array([force(x) for x in late])
    early = lambda n: max(abs(force(x)) for x in np.linspace(0.0, 0.1, n + 1))
    return {
        "t": TIMES,
        "beta_theta_and_rates": [list(stored[x]) for x in TIMES],
        "link_force": [constrained(x, stored[x], nu2)[1] for x in TIMES],
        "flap_amplitude": max(abs(at(x)[0]) for x in late),
        "link_force_range": [min(late_force), max(late_force)],
        "harmonics": {"1/rev": size(1), "2/rev": size(2), "3/rev": size(3), "4/rev": size(4), "mean": abs(np.mean(f))},
        "peak_link_force": early(1000),
        "peak_every_10ms": early(10),
    }


def runs():
    """Steps and drift at rtol 1e-2, atol 1e-4, steps of at most 0.01 s, with both step controls."""
    found = {}

    def measured(run, project=None):
        pairs = [(y[:2], y[2:]) if project is None else onto(y[:2], y[2:], project)[:2] for y in run.y]
        return {
            "steps": run.steps,
            "rejected": run.rejected,
            "phi": max(abs(link(q)[0]) for q, _ in pairs),
            "phidot": max(abs(link(q)[1] @ v) for q, v in pairs),
        }

    def rates(t, y, weight=None):
        if weight is not None:
            q, v, _ = onto(y[:2], y[2:], weight)
            y = np.concatenate([q, v])
        return np.concatenate([y[2:], constrained(t, y, 1.0625)[0]])

    def go(rhs, control):
        return integrate(rhs, np.zeros(4), 2.0, 1e-2, 1e-4, DORMAND_PRINCE, control, 0.01, 0.01)

    found["none"] = measured(go(rates, Proportional(5, idle=1)))
    for name, weight in (("rates_only", M), ("rates_only_identity", np.eye(2))):
        run = go(lambda t, y: rates(t, y, weight), Proportional(5, idle=1))
        found[name] = measured(run, weight) | {"mu": max(abs(onto(y[:2], y[2:], weight)[2]) for y in run.y)}
    for ratio in ("5.5", "10.5", "21"):
        kc = IF * (float(ratio) * W) ** 2
        rhs = lambda t, y: np.concatenate([y[2:], np.linalg.solve(M, forces(t, y[:2], y[2:], 1.0625, kc))])
        found[f"penalty_{ratio}"] = measured(go(rhs, Proportional(5, idle=1)))
        found[f"penalty_{ratio}_largest"] = measured(go(rhs, Largest(5)))
    return found


def stiff_control():
    """Pitch at 2 s with a control instead of the link: the linear equations, integrated and by the matrix exponential."""
    found = {}
    for ratio in ("10.5", "5.5", "21"):
        kc = IF * (float(ratio) * W) ** 2
        rhs = lambda t, y: np.concatenate([y[2:], np.linalg.solve(M, forces(t, y[:2], y[2:], 1.0625, kc))])
        s = solve_ivp(rhs, (0, 2), np.zeros(4), method="DOP853", rtol=1e-13, atol=1e-16)
        # State (q, v, cos W t, sin W t): the moment is -1e4 sin W t.
        K = np.array([[IB * W * W * 1.0625, -IX * W * W], [-IX * W * W + kc * 0.25, IF * W * W + kc]])
        D = np.array([[GAMMA / 16 * W * IB, 0], [0, 0]])
        S = np.zeros((6, 6))
        S[:2, 2:4] = np.eye(2)
        S[2:4, :2], S[2:4, 2:4] = -np.linalg.solve(M, K), -np.linalg.solve(M, D)
        S[2:4, 5] = np.linalg.solve(M, [-1e4, 0])
        S[4, 5], S[5, 4] = -W, W
        exact = np.linalg.matrix_power(expm(S * 2.0 / 64), 64) @ [0, 0, 0, 0, 1, 0]
        assert abs(exact[1] - s.y[1, -1]) < 1e-11
        found[ratio] = s.y[1, -1]
    return {"pitch_at_2s": found}


def compute(quick=False):
    values = {"pitch_runs": runs(), "pitch_penalty": stiff_control()}
    if not quick:
        values |= {"pitch_link": summary(1.0625), "pitch_link_wrong_ratio": summary(1.0625 ** 2)}
    return values
