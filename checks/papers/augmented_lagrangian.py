"""[Kamaraj2021] Table 1: energy drift of the double four-bar by the augmented Lagrangian.

Natural coordinates of the three tips, trapezoidal rule, constraints at position level, mass-orthogonal projections of
velocities and accelerations: the method of Cuadrado, Cardenal and Bayo (1997), with the data of the IFToMM benchmark A02.
"""
import numpy as np

G, L, MASS = 9.81, 1.0, 1.0
GROUND = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
# Rods: tips they end at; a crank starts at the ground point of its tip.
RODS = [(None, 0), (None, 1), (None, 2), (0, 1), (1, 2)]

M = np.zeros((6, 6))
F = np.zeros(6)
for i, j in RODS:
    for axis in range(2):
        for k in (i, j):
            if k is not None:
                M[2 * k + axis, 2 * k + axis] += MASS / 3
        if i is not None:
            M[2 * i + axis, 2 * j + axis] += MASS / 6
            M[2 * j + axis, 2 * i + axis] += MASS / 6
    for k in (i, j):
        if k is not None:
            F[2 * k + 1] -= MASS * G / 2


def rod(x, i, j, ground):
    start = (GROUND[j] if ground else np.zeros(2)) if i is None else x[2 * i : 2 * i + 2]
    return x[2 * j : 2 * j + 2] - start


def phi(q):
    return np.array([rod(q, i, j, True) @ rod(q, i, j, True) - L * L for i, j in RODS])


def jacobian(q):
    A = np.zeros((5, 6))
    for row, (i, j) in enumerate(RODS):
        d = 2 * rod(q, i, j, True)
        A[row, 2 * j : 2 * j + 2] = d
        if i is not None:
            A[row, 2 * i : 2 * i + 2] = -d
    return A


def convective(v):
    return np.array([2 * rod(v, i, j, False) @ rod(v, i, j, False) for i, j in RODS])


def drift(alpha, h=0.01, t_end=10.0, tolerance=1e-10):
    q, v = np.array([0, 1, 1, 1, 2, 1.0]), np.array([1, 0, 1, 0, 1, 0.0])
    A = jacobian(q)
    saddle = np.block([[M, A.T], [A, np.zeros((5, 5))]])
    start = np.linalg.lstsq(saddle, np.concatenate([F, -convective(v)]), rcond=None)[0]
    a, multipliers = start[:6], start[6:].copy()
    energy = lambda q, v: 0.5 * v @ M @ v - F @ q
    first, worst = energy(q, v), 0.0
    for _ in range(round(t_end / h)):
        v_part, a_part = -(2 / h * q + v), -(4 / h**2 * q + 4 / h * v + a)
        q = q + h * v + 0.5 * h * h * a
        for iteration in range(60):
            A, left, a = jacobian(q), phi(q), 4 / h**2 * q + a_part
            if iteration > 0:
                multipliers = multipliers + alpha * left
            K = M + h * h / 4 * alpha * A.T @ A
            step = -np.linalg.solve(K, h * h / 4 * (M @ a + A.T @ (alpha * left + multipliers) - F))
            q = q + step
            if np.abs(step).max() < tolerance:
                break
        A = jacobian(q)
        K = M + h * h / 4 * alpha * A.T @ A
        v = np.linalg.solve(K, M @ (2 / h * q + v_part))
        a = np.linalg.solve(K, M @ (4 / h**2 * q + a_part) - h * h / 4 * alpha * A.T @ convective(v))
        worst = max(worst, abs(energy(q, v) - first))
    return worst
