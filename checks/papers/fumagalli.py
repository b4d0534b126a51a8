"""[FumagalliMasarati2009]: three formulas for the constrained accelerations, square roots, counts, rotation parameters, finite volumes."""
import mpmath
import numpy as np
from scipy.integrate import quad
from scipy.linalg import schur, solve_triangular

M3 = [[4, 1, 0], [1, 3, 1], [0, 1, 2]]
F3 = [1, 2, 3]
CASES = {
    "full_rank": ([[1, 1, 0]], [1]),
    "redundant_consistent": ([[1, 1, 0], [2, 2, 0]], [1, 2]),
    "redundant_inconsistent": ([[1, 1, 0], [1, 1, 0]], [1, 2]),
    "three_rows_rank2": ([[1, 1, 0], [0, 1, 1], [1, 2, 1]], [1, 2, 3]),
    "three_rows_rank2_inconsistent": ([[1, 1, 0], [0, 1, 1], [1, 2, 1]], [1, 2, 4]),
}


def pseudo_inverse(S):
    """Moore and Penrose's inverse of a symmetric matrix with 30 digits."""
    values, Q = mpmath.eigsy(S)
    inverse = mpmath.diag([1 / e if e > mpmath.mpf(10) ** -20 else 0 for e in values])
    return Q * inverse * Q.T


def small():
    mpmath.mp.dps = 30
    M, f = mpmath.matrix(M3), mpmath.matrix(F3)
    values = {"M": np.array(M3, float).tolist(), "f": [1.0, 2.0, 3.0]}
    for name, (A, b) in CASES.items():
        A_, b_ = mpmath.matrix(A), mpmath.matrix(b)
        Mi = M ** -1
        # Accelerations that satisfy A x = b best (Euclidean), then with least Gaussian: A x = the projection of b on the range of A.
        fit = A_ * pseudo_inverse(A_.T * A_) * A_.T * b_
        lam = pseudo_inverse(A_ * Mi * A_.T) * (A_ * Mi * f - fit)
        x = Mi * (f - A_.T * lam)
        values[name] = {"A": np.array(A, float).tolist(), "b": np.array(b, float).tolist(), "xdd": [float(e) for e in x],
                        "lambda": [float(e) for e in lam]}
    return values


def formulas(M, f, A, b):
    """Eqs. (6), (23), (46)."""
    a = np.linalg.solve(M, f)
    e, V = np.linalg.eigh(M)
    half = V / np.sqrt(e) @ V.T
    one = a + half @ np.linalg.pinv(A @ half, rcond=1e-10) @ (b - A @ a)
    Li = solve_triangular(np.linalg.cholesky(M), np.eye(len(M)), lower=True)
    two = a + Li.T @ np.linalg.pinv(A @ Li.T, rcond=1e-10) @ (b - A @ a)
    # S^+ annihilates what A cannot reach only if b is first put into the range of A.
    X = np.linalg.solve(M, A.T)
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    U = U[:, s > 1e-10 * s[0]]
    three = a + X @ np.linalg.pinv(A @ X, rcond=1e-10) @ (U @ (U.T @ b) - A @ a)
    return one, two, three


def random_systems(trials=200):
    rng, worst = np.random.default_rng(1), {"full": 0.0, "redundant": 0.0, "inconsistent": 0.0}
    for kind in worst:
        for _ in range(trials):
            n = rng.integers(3, 13)
            m = rng.integers(1, n)
            R = rng.uniform(-1, 1, (n, n))
            M, A = R @ R.T + 0.1 * np.eye(n), rng.uniform(-1, 1, (m, n))
            if kind != "full":
                A = np.vstack([A, rng.uniform(-1, 1, (1 + m // 2, m)) @ A])
            b = rng.uniform(-1, 1, len(A)) if kind == "inconsistent" else A @ rng.uniform(-1, 1, n)
            x = formulas(M, rng.uniform(-1, 1, n), A, b)
            for i in range(3):
                for j in range(i):
                    size = max(1.0, np.max(abs(x[i])), np.max(abs(x[j])))
                    worst[kind] = max(worst[kind], np.max(abs(x[i] - x[j])) / size)
    return {"max_rel_diff": worst, "trials": trials}


def square_roots():
    found, n = {}, 12
    for power in (1, 4, 8):
        i, j = np.indices((n, n))
        V = np.linalg.qr(np.sin(i * i + 3 * i * j + 7 * j + 1.0))[0]
        M = V * 10.0 ** (power * np.arange(n) / (n - 1)) @ V.T
        M = 0.5 * (M + M.T)
        off = lambda root: np.linalg.norm(root @ root - M) / np.linalg.norm(M)
        e, Q = np.linalg.eigh(M)
        T, Z = schur(M)
        U = np.zeros_like(T)
        for c in range(n):
            U[c, c] = np.sqrt(T[c, c])
            for r in range(c - 1, -1, -1):
                U[r, c] = (T[r, c] - U[r, r + 1:c] @ U[r + 1:c, c]) / (U[r, r] + U[c, c])
        Y, X, count = M.copy(), np.eye(n), 0
        for count in range(1, 60):
            Yn, X = 0.5 * (Y + np.linalg.inv(X)), 0.5 * (X + np.linalg.inv(Y))
            change, Y = np.linalg.norm(Yn - Y) / np.linalg.norm(Yn), Yn
            if change < 1e-12:
                break
        found[f"cond_1e+{power:02d}"] = {
            "spectral_err": off(Q * np.sqrt(e) @ Q.T), "schur_err": off(Z @ U @ Z.T), "db_err": off(Y),
            "db_inverse_err": np.max(abs(X @ M @ X - np.eye(n))), "db_iterations": count,
        }
    return found


def counts():
    """Section 6: Cholesky n^3/3, spectral root 12 n^3, Schur root 50/3 n^3, singular values 4 n^2 m + 8 n m^2 + 9 m^3."""
    found = {}
    for n, m in ((10, 2), (15, 14), (100, 10), (1000, 50)):
        svd = 4 * n * n * m + 8 * n * m * m + 9 * m ** 3
        found[f"n={n},m={m}"] = {
            "eq6_spectral": 12 * n ** 3 + 2 * n * n * m + svd, "eq6_schur": 50 / 3 * n ** 3 + 2 * n * n * m + svd,
            "eq23": n ** 3 / 3 + n * n * m + svd, "eq46": n ** 3 / 3 + n * n * m + n * m * m + 12 * m ** 3,
        }
    return found


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rotation_parameters():
    """A body of 2 kg about a fixed point: Euler's equations, then eq. (60) in Gibbs and Rodrigues' parameters."""
    g, gd = np.array([0.4, -0.7, 0.3]), np.array([1.1, 0.2, -0.5])
    gamma = lambda g: 4 / (4 + g @ g) * (np.eye(3) + cross(g) / 2)
    k = 4 / (4 + g @ g)
    R = np.eye(3) + k * (cross(g) + cross(g) @ cross(g) / 2)
    Gm = gamma(g)
    # d Gamma/dt in closed form: k' = -k^2/2 g.g'
    Gd = -0.5 * k * (g @ gd) * Gm + k / 2 * cross(gd)
    w, s = Gm @ gd, R @ [0.5, 0.1, -0.2]
    J = R @ np.diag([0.3, 0.5, 0.9]) @ R.T
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = 2 * np.eye(3), J
    f = np.concatenate([[1, -2, 0.5], [0.2, 0.4, -0.3] - np.cross(w, J @ w)])
    A, b = np.hstack([np.eye(3), -cross(s)]), -np.cross(w, np.cross(w, s))
    full = np.block([[M, A.T], [A, np.zeros((3, 3))]])
    x = np.linalg.solve(full, np.concatenate([f, b]))
    X = np.zeros((6, 6))
    X[:3, :3], X[3:, 3:] = np.eye(3), Gm
    c = -np.linalg.solve(Gm, Gd @ gd)

    def starred(right, reaction):
        K = np.block([[M @ X, reaction.T], [A @ X, np.zeros((3, 3))]])
        load = f + M @ X @ np.concatenate([np.zeros(3), c])
        y = np.linalg.solve(K, np.concatenate([load, right]))[:6]
        return np.concatenate([y[:3], Gm @ (y[3:] - c)])
    shifted = b + A @ X @ np.concatenate([np.zeros(3), c])
    assert np.max(abs(starred(shifted, A) - x[:6])) < 1e-13
    return {"xdd_alpha": x[:6].tolist(), "pddot": (np.linalg.solve(Gm, x[3:6]) + c).tolist(), "lambda": x[6:].tolist(),
            "off_as_printed": np.max(abs(starred(b, A) - x[:6])), "off_with_wrong_reaction": np.max(abs(starred(shifted, A @ X) - x[:6]))}


def norm_claim():
    x = np.array([-25 / 26, 25 / 26])
    return {"norm_a": 1.0, "norm_xdd": np.hypot(*x), "Mnorm_a": 5.0, "Mnorm_xdd": np.sqrt(x[0] ** 2 + 25 * x[1] ** 2), "xdd": x.tolist()}


def finite_volumes():
    shape = (lambda s: 1 - s, lambda s: s)
    half = ((0, 0.5), (0.5, 1))
    force = [[quad(N, *half[i])[0] for N in shape] for i in (0, 1)]
    moment = [[quad(lambda s: (s - i) * N(s), *half[i])[0] for N in shape] for i in (0, 1)]
    return {"f1": force[0], "f2": force[1], "moment_about_node1_over_L": moment[0], "moment_about_node2_over_L": moment[1]}


def compute(quick=False):
    return {"small": small(), "random": random_systems(), "square_root": square_roots(), "operation_counts": counts(),
            "rotation_parameters": rotation_parameters(), "norm_claim": norm_claim(), "finite_volume_inertia": finite_volumes()}
