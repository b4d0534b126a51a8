"""[MitiguyBanerjee2000]: cases of our own for what the manuscript lists. Closed forms, and an integration for the double pendulum."""
import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

G = 9.81


def pin():
    """All 8 Newton-Euler equations at once: accelerations of both bodies and the force on B."""
    def turned(angle, p):
        c, s = np.cos(angle), np.sin(angle)
        return np.array([c * p[0] - s * p[1], s * p[0] + c * p[1]])
    a, b = turned(0.3, (0.8, 0.1)), turned(-0.7, (-0.6, 0.2))
    wa, wb = 1.2, -2.0
    # a_A + alpha_A x a - wa^2 a = a_B + alpha_B x b - wb^2 b
    A = np.array([[1, 0, -a[1], -1, 0, b[1]], [0, 1, a[0], 0, -1, -b[0]]])
    rows = np.zeros((8, 8))
    rows[:6, :6] = np.diag([2.0, 2.0, 0.5, 1.5, 1.5, 0.3])
    rows[:6, 6:], rows[6:, :6] = A.T, A
    load = np.array([0.5, -19.62, 0.7, -1.0, -14.715, -0.2, *(wa ** 2 * a - wb ** 2 * b)])
    x = np.linalg.solve(rows, load)
    return {"F": x[6:].tolist(), "Udot_A": x[:3].tolist(), "Udot_B": x[3:6].tolist()}


def double_pendulum():
    """Lagrange's equations of two uniform rods of 1 kg and 1 m; angles from below."""
    def rhs(t, y):
        a, b, u, w = y
        c, s = np.cos(a - b), np.sin(a - b)
        M = np.array([[4 / 3, c / 2], [c / 2, 1 / 3]])
        f = np.array([-s / 2 * w * w - 1.5 * G * np.sin(a), s / 2 * u * u - 0.5 * G * np.sin(b)])
        return np.concatenate([[u, w], np.linalg.solve(M, f)])
    t = [0.5, 1.0, 1.5, 2.0]
    s = solve_ivp(rhs, (0, 2), [np.pi / 2, np.pi / 2, 0, 0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=t)
    return dict(zip(("t", "theta1", "theta2", "omega1", "omega2"), (t, *s.y.tolist())))


def actuators():
    t = np.array([0.1, 0.3, 0.7])
    length, bend = 1 + 0.2 * np.sin(5 * t), -5 * np.sin(5 * t)
    angle = np.array([0.25, 1.0])
    return {
        "length_actuator": {"t": t.tolist(), "force": (6 / 5 * bend).tolist(), "x1": (-3 / 5 * length).tolist(), "x2": (2 / 5 * length).tolist()},
        "velocity_actuator": {"force_rising": 10 * (G + 0.5), "force_steady": 10 * G, "height_at_3s": 2.0},
        "acceleration_actuator": {"t": [0.5, 1.0], "torque": (2 / 3 + G / 2 * np.cos(angle)).tolist()},
    }


def friction():
    def climb(angle):
        a = np.radians(angle)
        down = G * (np.sin(a) + 0.4 * np.cos(a))
        return a, 3 / down, 4.5 / down
    a, t, x = climb(25)
    stick = {"t_stop": t, "x_stop": x, "friction_while_stuck_N": 2 * G * np.sin(a)}
    a, t, x = climb(35)
    back = G * (np.sin(a) - 0.4 * np.cos(a))
    slide = {"t_top": t, "x_top": x, "t_back_at_start": t + np.sqrt(2 * x / back), "v_back": -np.sqrt(2 * x * back)}
    slip = np.arctan(0.5)
    tilt = {"t_slip_s": slip / 0.2, "acc_just_after_slip": G * (np.sin(slip) - 0.4 * np.cos(slip))}
    # Spring of 100 N/m pulled with 0.1 m/s, 1 kg, 0.5 and 0.3: with u the stretch beyond kinetic friction, u'' = -100 u.
    start = 0.5 * G / 100 / 0.1
    w, excess, pull = 10.0, 0.2 * G / 100, 0.1
    phase = lambda s: -excess * w * np.sin(w * s) + pull * np.cos(w * s)   # stretch rate; the block rests when it equals the pull
    stop = brentq(lambda s: phase(s) - pull, 0.2, 0.6)
    stretch = 0.3 * G / 100 + excess * np.cos(w * stop) + pull / w * np.sin(w * stop)
    end = start + stop
    return {
        "incline": {"stick": stick, "slide_back": slide, "slow_tilt": tilt},
        "stick_slip": {"t_slip": start, "t_stick": end, "x_stick": pull * end - stretch, "period": stop + (0.5 * G / 100 - stretch) / pull},
    }


def collisions():
    fall, e = np.sqrt(2 / G), 0.8
    times = [fall * (1 + 2 * sum(e ** k for k in range(1, n + 1))) for n in range(3)]
    # A particle of 0.5 kg with 6 m/s on a free rod, 3 kg, 1.2 m, 0.4 m from its centre, restitution 0.5.
    m, M, I, d, u = 0.5, 3.0, 3 * 1.2 ** 2 / 12, 0.4, 6.0
    J = 1.5 * u / (1 / m + 1 / M + d * d / I)
    v, V, w = u - J / m, J / M, J * d / I
    loss = 0.5 * (m * u * u - m * v * v - M * V * V - I * w * w)
    p = (2 * 4 - 3 * 1) / 5
    v1, v2 = p - 0.6 * 3 / 5 * 5, p + 0.6 * 2 / 5 * 5
    lost = 0.5 * (2 * 16 + 3 * 1 - 2 * v1 ** 2 - 3 * v2 ** 2)
    return {
        "bouncing_ball": {"impact_times": times, "zeno_time": fall * (1 + e) / (1 - e), "path": 1 + 2 * e * e / (1 - e * e)},
        "collisions": {"head_on": {"v1": v1, "v2": v2, "energy_loss": lost},
                       "on_rod": {"J": J, "v_particle": v, "V_rod": V, "omega_rod": w, "energy_loss": loss}},
    }


def ropes():
    fall = np.sqrt(2 * 1.6 / G)
    speed, along = G * fall, np.array([0.6, -0.8])
    across = np.array([-0.8, -0.6])
    after = across * (np.array([0, -speed]) @ across)
    omega = -np.hypot(*after) / 2
    theta0 = np.arctan2(0.6, 0.8)
    top = np.arccos(np.cos(theta0) - omega ** 2 * 2 / (2 * G))
    # Pendulum with v0^2 = 3.5 g: slack where v^2 = -g cos, that is cos = -1/2.
    slack = 2 * np.pi / 3
    time = quad(lambda a: 1 / np.sqrt(3.5 * G - 2 * G * (1 - np.cos(a))), 0, slack, epsabs=1e-14, epsrel=1e-14)[0]
    v = np.sqrt(G / 2)
    p, v = np.array([np.sin(slack), -np.cos(slack)]), v * np.array([np.cos(slack), np.sin(slack)])
    apart = lambda s: (p[0] + v[0] * s) ** 2 + (p[1] + v[1] * s - G * s * s / 2) ** 2 - 1
    return {
        "rope_goes_taut": {"t_taut": fall, "impulse_per_mass": abs(np.array([0, -speed]) @ along), "velocity_after": after.tolist(), "omega0": omega,
                           "tension_per_mass_after": omega ** 2 * 2 + G * np.cos(theta0), "max_swing_angle": top},
        "rope_slack": {"t_slack": time, "theta_slack": slack, "flight_time": brentq(apart, 0.3, 1.2, xtol=1e-15)},
    }


def separators():
    start = 0.05
    leave = np.arccos(2 / 3 * np.cos(start))
    # The start is a turning point: theta = start + s^2 takes the root out of the integral.
    rate = lambda s: 2 * s / np.sqrt(2 * G * (np.cos(start) - np.cos(start + s * s)))
    time = quad(rate, 1e-12, np.sqrt(leave - start), epsabs=1e-13, epsrel=1e-12, limit=200)[0]
    return {"separator": {"sphere": {"theta_leave": leave, "t_leave": time, "speed_leave": np.sqrt(2 * G * (np.cos(start) - np.cos(leave)))},
                          "two_masses": {"t_contact": 0.5, "v_after_both": 1.0, "impulse": 2.0}}}


def compute(quick=False):
    return {"pin_joint": pin(), "double_pendulum": double_pendulum(), **actuators(), **friction(), **collisions(), **ropes(), **separators()}
