"""[Masarati2010] 4.2 and appendix: the swing. Two-node finite-volume beams in the plane, eqs. (31) to (37), and modes in a floating frame."""
import mpmath
import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.spatial.transform import Rotation

from .explicit import DORMAND_PRINCE, Proportional, integrate

E, NU, RHO, B, H, SPAN = 73e9, 0.3, 2700.0, 5e-3, 1e-3, 0.72
AREA, EI = B * H, E * B * H ** 3 / 12
EA, GA = E * AREA, 5 / 6 * E / (2 * (1 + NU)) * AREA
LOAD = 0.5
PINS = np.array([[0.0, 0.36], [1.08, 0.36]])
LINKS = np.array([0.36, 0.36 * np.sqrt(2)])
POINTS = "ABCDE"


def pulse(t):
    return max(0.0, 2 - 2 * abs(t - 0.128) / 0.128)


class Beam:
    """n elements; coordinates (x, y, angle) of each node."""

    def __init__(self, n, section_inertia_only=False):
        self.n, self.L = n, SPAN / n
        self.shear = 1 / (1 / GA + self.L ** 2 / (12 * EI))
        self.mass = np.full(n + 1, RHO * AREA * self.L)
        self.mass[[0, -1]] /= 2
        radius = H ** 2 / 12 + (0 if section_inertia_only else self.L ** 2 / 12)
        self.rotary = self.mass * radius
        self.mass = self.mass.copy()
        self.mass[n // 2] += LOAD
        self.M = np.stack([self.mass, self.mass, self.rotary], axis=1)
        self.start = np.zeros((n + 1, 3))
        self.start[:, 0] = np.linspace(0, SPAN, n + 1)

    def forces(self, q):
        """Elastic forces and moments on the nodes."""
        d = q[1:, :2] - q[:-1, :2]
        angle = 0.5 * (q[1:, 2] + q[:-1, 2])
        c, s = np.cos(angle), np.sin(angle)
        axial = EA * ((c * d[:, 0] + s * d[:, 1]) / self.L - 1)
        shear = self.shear * (-s * d[:, 0] + c * d[:, 1]) / self.L
        fx, fy = c * axial - s * shear, s * axial + c * shear
        m = EI * (q[1:, 2] - q[:-1, 2]) / self.L
        arm = 0.5 * (d[:, 0] * fy - d[:, 1] * fx)
        f = np.zeros_like(q)
        f[:-1] += np.stack([fx, fy, m + arm], axis=1)
        f[1:] += np.stack([-fx, -fy, -m + arm], axis=1)
        return f

    def energy(self, q, v):
        d = q[1:, :2] - q[:-1, :2]
        angle = 0.5 * (q[1:, 2] + q[:-1, 2])
        c, s = np.cos(angle), np.sin(angle)
        e = (c * d[:, 0] + s * d[:, 1]) / self.L - 1
        g = (-s * d[:, 0] + c * d[:, 1]) / self.L
        k = (q[1:, 2] - q[:-1, 2]) / self.L
        return 0.5 * np.sum(self.M * v * v) + 0.5 * self.L * np.sum(EA * e * e + self.shear * g * g + EI * k * k)

    def stiffness(self):
        """Tangent at rest, by the exact derivative of the strains: forces are linear in them there."""
        K = np.zeros((3 * self.n + 3, 3 * self.n + 3))
        for i in range(self.n):
            # Rows: axial strain, shear strain, curvature, of the six coordinates of an element.
            S = np.array([[-1, 0, 0, 1, 0, 0], [0, -1, -self.L / 2, 0, 1, -self.L / 2], [0, 0, -1, 0, 0, 1]]) / self.L
            K[3 * i:3 * i + 6, 3 * i:3 * i + 6] += self.L * S.T @ np.diag([EA, self.shear, EI]) @ S
        return K

    def frequencies(self, pinned=True):
        """Hz and shapes; ends held in x and y, or free."""
        free = np.ones(3 * self.n + 3, bool)
        if pinned:
            free[[0, 1, -3, -2]] = False
        K, m = self.stiffness()[np.ix_(free, free)], self.M.reshape(-1)[free]
        if pinned:
            # The inverse problem: the slowest vibrations are then its largest, and accurate, eigenvalues.
            root = np.sqrt(m)
            flexible = root[:, None] * np.linalg.inv(K) * root
            values, vectors = np.linalg.eigh(0.5 * (flexible + flexible.T))
            hertz = 1 / np.sqrt(values[::-1]) / (2 * np.pi)
            shapes = np.zeros((3 * self.n + 3, len(m)))
            shapes[free] = vectors[:, ::-1] / root[:, None]
            return hertz, shapes.reshape(self.n + 1, 3, -1)
        values = eigh(K, np.diag(m), eigvals_only=True)
        return np.sqrt(np.maximum(values, 0)) / (2 * np.pi), None


def first_frequency():
    """The slowest vibration once more, with 30 digits: inverse iteration on bending and shear of 40 elements, in Hz."""
    mpmath.mp.dps = 30
    one, n = mpmath.mpf(1), 40
    L, E_, h, w = mpmath.mpf("0.72") / n, mpmath.mpf("73e9"), mpmath.mpf("1e-3"), mpmath.mpf("5e-3")
    bend = E_ * w * h ** 3 / 12
    shear = 1 / (1 / (5 * one / 6 * E_ / (2 * (1 + mpmath.mpf("0.3"))) * w * h) + L ** 2 / (12 * bend))
    K, m = mpmath.zeros(2 * n + 2), []
    for i in range(n):
        g, k = [-1 / L, -one / 2, 1 / L, -one / 2], [0, -1 / L, 0, 1 / L]
        for p in range(4):
            for q in range(4):
                K[2 * i + p, 2 * i + q] += L * (shear * g[p] * g[q] + bend * k[p] * k[q])
    for i in range(n + 1):
        mass = 2700 * w * h * L * (one / 2 if i in (0, n) else 1)
        m += [mass + (one / 2 if i == n // 2 else 0), mass * (h ** 2 + L ** 2) / 12]
    keep = [j for j in range(2 * n + 2) if j not in (0, 2 * n)]
    K, m = mpmath.matrix([[K[i, j] for j in keep] for i in keep]), [m[i] for i in keep]
    factor, order = mpmath.mp.LU_decomp(K)
    x = mpmath.matrix(m)
    for _ in range(12):
        right = mpmath.matrix([a * b for a, b in zip(m, x)])
        y = mpmath.mp.U_solve(factor, mpmath.mp.L_solve(factor, right, order))
        square = sum(a * b * b for a, b in zip(m, x)) / sum(a * b * c for a, b, c in zip(m, x, y))
        x = y / mpmath.sqrt(sum(a * b * b for a, b in zip(m, y)))
    return float(mpmath.sqrt(square) / (2 * mpmath.pi))


def rods(ends, rates):
    """phi, directions, and convective terms of the two massless links."""
    d = ends - PINS
    length = np.hypot(d[:, 0], d[:, 1])
    u = d / length[:, None]
    along = np.sum(u * rates, axis=1)
    return length - LINKS, u, (np.sum(rates * rates, axis=1) - along ** 2) / length


class ElementSwing:
    """Coordinates of the nodes and both links."""

    def __init__(self, n, **options):
        self.beam = Beam(n, **options)
        self.size, self.middle = 3 * (n + 1), n // 2
        self.markers = [i * n // 4 for i in range(5)]

    def start(self):
        return np.concatenate([self.beam.start.reshape(-1), np.zeros(self.size)])

    def onto(self, y, weight="M"):
        q, v = y[:self.size].reshape(-1, 3).copy(), y[self.size:].reshape(-1, 3).copy()
        # The links hold the two ends, each alone: corrections move these ends only, for W = M and for W = I alike.
        for _ in range(20):
            phi, u, _ = rods(q[[0, -1], :2], v[[0, -1], :2])
            if np.max(abs(phi)) < 1e-12:
                break
            q[[0, -1], :2] -= u * phi[:, None]
        u = rods(q[[0, -1], :2], v[[0, -1], :2])[1]
        v[[0, -1], :2] -= u * np.sum(u * v[[0, -1], :2], axis=1)[:, None]
        return np.concatenate([q.reshape(-1), v.reshape(-1)])

    def rates(self, t, y, push=1.0):
        q, v = y[:self.size].reshape(-1, 3), y[self.size:].reshape(-1, 3)
        f = self.beam.forces(q)
        f[self.middle, 0] += push * pulse(t)
        a = f / self.beam.M
        _, u, c = rods(q[[0, -1], :2], v[[0, -1], :2])
        a[[0, -1], :2] -= u * (np.sum(u * a[[0, -1], :2], axis=1) + c)[:, None]
        return np.concatenate([v.reshape(-1), a.reshape(-1)])

    def places(self, y):
        return y[:self.size].reshape(-1, 3)[self.markers, :2]

    def energy(self, y):
        return self.beam.energy(y[:self.size].reshape(-1, 3), y[self.size:].reshape(-1, 3))


class ModalSwing:
    """A frame on the chord (x, y, angle) and the amplitudes of modes of 40 elements with both ends pinned. A shape has a largest
    displacement of 1, so that amplitudes are lengths: steps depend on the scale of coordinates, and so does W = I."""

    def __init__(self, selected=(0, 1, 2)):
        beam = Beam(40)
        hertz, shapes = beam.frequencies()
        # From modal masses of 1.
        shapes = shapes[:, :, list(selected)]
        largest = np.max(np.hypot(shapes[:, 0], shapes[:, 1]), axis=0)
        self.shapes = shapes / largest
        self.K = (2 * np.pi * hertz[list(selected)] / largest) ** 2
        self.m, self.J, self.rest = beam.mass, beam.rotary, beam.start[:, :2]
        self.n = 3 + len(selected)
        self.markers = [0, 10, 20, 30, 40]

    def start(self):
        return np.zeros(2 * self.n)

    def kinematics(self, Q):
        c, s = np.cos(Q[2]), np.sin(Q[2])
        R = np.array([[c, -s], [s, c]])
        arm = (self.rest + self.shapes[:, :2] @ Q[3:]) @ R.T
        across = np.stack([-arm[:, 1], arm[:, 0]], axis=1)
        lines = np.einsum("ab,ibk->iak", R, self.shapes[:, :2])
        # Jacobian of places: columns x, y, angle, amplitudes.
        jac = np.zeros((len(arm), 2, self.n))
        jac[:, 0, 0] = jac[:, 1, 1] = 1
        jac[:, :, 2] = across
        jac[:, :, 3:] = lines
        return Q[:2] + arm, arm, jac

    def system(self, t, y, push=1.0):
        Q, V = y[:self.n], y[self.n:]
        places, arm, jac = self.kinematics(Q)
        turn = np.zeros((len(arm), self.n))
        turn[:, 2], turn[:, 3:] = 1, self.shapes[:, 2]
        slide = jac[:, :, 3:] @ V[3:]
        bias = -V[2] ** 2 * arm + 2 * V[2] * np.stack([-slide[:, 1], slide[:, 0]], axis=1)
        M = np.einsum("iak,i,ial->kl", jac, self.m, jac) + np.einsum("ik,i,il->kl", turn, self.J, turn)
        f = -np.einsum("iak,i,ia->k", jac, self.m, bias)
        f[3:] -= self.K * Q[3:]
        f += jac[20, 0] * push * pulse(t)
        ends, rates = places[[0, -1]], (jac[[0, -1]] @ V)
        phi, u, c = rods(ends, rates)
        A = np.einsum("ia,iak->ik", u, jac[[0, -1]])
        c = c + np.sum(u * bias[[0, -1]], axis=1)
        return M, f, A, c, phi

    def rates(self, t, y, push=1.0):
        M, f, A, c, _ = self.system(t, y, push)
        factor = cho_factor(M)
        a, X = cho_solve(factor, f), cho_solve(factor, A.T)
        a -= X @ np.linalg.solve(A @ X, A @ a + c)
        return np.concatenate([y[self.n:], a])

    def onto(self, y, weight="M"):
        y = y.copy()
        for _ in range(20):
            M, _, A, _, phi = self.system(0.0, y)
            if np.max(abs(phi)) < 1e-12:
                break
            X = np.linalg.solve(M, A.T) if weight == "M" else A.T
            y[:self.n] -= X @ np.linalg.solve(A @ X, phi)
        M, _, A, _, _ = self.system(0.0, y)
        X = np.linalg.solve(M, A.T) if weight == "M" else A.T
        y[self.n:] -= X @ np.linalg.solve(A @ X, A @ y[self.n:])
        return y

    def places(self, y):
        return self.kinematics(y[:self.n])[0][self.markers]

    def energy(self, y):
        M = self.system(0.0, y)[0]
        V, a = y[self.n:], y[3:self.n]
        return 0.5 * V @ M @ V + 0.5 * np.sum(self.K * a * a)


def motion(swing, times, rtol=1e-10, atol=1e-12):
    """States at these times: DOP853, restarted on the constraints at each of them and at the corners of the pulse."""
    y, t, found = swing.start(), 0.0, {}
    for end in sorted({*times, 0.128, 0.256}):
        if end > max(times):
            break
        s = solve_ivp(swing.rates, (t, end), y, method="DOP853", rtol=rtol, atol=atol, first_step=1e-6)
        y, t = swing.onto(s.y[:, -1]), end
        found[end] = y
    return found


def aligned(swing, rtol=1e-9, atol=1e-11):
    """When the chord A-E and the first link lie in one line."""
    states = motion(swing, [0.6], rtol, atol)

    def sine(t, y):
        p = swing.places(y)
        a, b = p[4] - p[0], PINS[0] - p[0]
        return a[0] * b[1] - a[1] * b[0]
    sine.terminal = True
    s = solve_ivp(swing.rates, (0.6, 0.7), states[0.6], method="DOP853", rtol=rtol, atol=atol, first_step=1e-6, events=sine)
    return s.t_events[0][0]


def interpolation():
    """Eq. (36) with its printed sign: largest difference of the two matrices halfway."""
    R1, R2 = Rotation.from_rotvec([0.15, -0.25, 0.35]), Rotation.from_rotvec([0.05, -0.4, 0.5])
    half = Rotation.from_rotvec((R1.inv() * R2).as_rotvec() / 2)
    return np.max(abs((R1 * half).as_matrix() - (R2 * half).as_matrix()))


def steps(swing, t_end, weight, push=1.0):
    """Times of the steps at rtol 1e-3, atol 1e-6, at most 1e-3 s; the corners of the pulse end a step.
    `weight` is that of the projection after each step, `push` a factor on the pulse."""
    reset = (lambda t, y: swing.onto(y, weight)) if weight else None
    y, t, times, h = swing.start(), 0.0, [], 1e-3
    control = Proportional(5, idle=1)
    for end in (0.128, 0.256, t_end):
        rates = lambda t, y: swing.rates(t, y, push)
        run = integrate(rates, y, end, 1e-3, 1e-6, DORMAND_PRINCE, control, h, 1e-3, reset=reset, t=t)
        y, t, times = run.y[-1], end, times + run.t[1:]
        h = run.t[-2] - run.t[-3]
    return np.array(times)


def chaotic(swing, runs=2):
    """Case 2, chaotic after 0.65 s. Steps to 1 s of runs with three treatments of the constraints and pulses that differ by 1e-9; steps
    to 0.6 s of the first of each."""
    treatments = {"2a": None, "2b_mass": "M", "2b_identity": "I"}
    times = {name: [steps(swing, 1.0, weight, 1 + k * 1e-9) for k in range(runs)] for name, weight in treatments.items()}
    counts = [len(t) for list_ in times.values() for t in list_]
    return {"mean": float(np.mean(counts)), "deviation": float(np.std(counts, ddof=1)), "counts": counts,
            "to_0.6_s": {name: int(np.sum(list_[0] <= 0.6)) for name, list_ in times.items()}}


def compute(quick=False):
    hertz, _ = Beam(40).frequencies()
    assert abs(hertz[0] - first_frequency()) < 1e-10, "two ways to the first frequency"
    modal = ModalSwing()
    values = {
        "interpolation": {"printed_sign": interpolation()},
        "swing_frequencies_Hz": {
            "printed": {"sym1": 0.443, "anti1": 18.17, "sym2": 28.46, "axial1": 319.5},
            "truth": dict(zip(("sym1", "anti1", "sym2", "axial1"), hertz[[0, 1, 2, 8]])),
            "free_free_max_4_elements": max(Beam(4).frequencies(pinned=False)[0]),
        },
    }
    times = [0.2, 0.4, 0.6]
    models = {"modal": modal} if quick else {"4": ElementSwing(4), "8": ElementSwing(8), "modal": modal, "axial": ModalSwing((0, 1, 2, 8))}
    found, energy = {}, {}
    for name, swing in models.items():
        states = motion(swing, times)
        found[name] = {str(t): dict(zip(POINTS, swing.places(states[t]).tolist())) for t in times}
        energy[name] = swing.energy(states[0.6])
    found["energy_J"] = energy
    found["aligned_s"] = aligned(modal)
    values["swing_motion"] = found
    if not quick:
        cases = {"1": (ElementSwing(4), 0.69), "3": (modal, 1.0)}
        counts = {f"{k}{x}": len(steps(cases[k][0], cases[k][1], w)) for k in "13" for x, w in (("a", None), ("b", "M"))}
        values["swing_steps"] = {
            "printed": {"1a": 69033, "1b": 69033, "2a": 23075, "2b": 28103, "3a": 1103, "3b": 1103},
            "same_control": counts,
            "chaotic": chaotic(ModalSwing((0, 1, 2, 8))),
        }
    return values
