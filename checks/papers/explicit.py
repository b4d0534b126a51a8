"""Explicit Runge-Kutta pairs with three step controls, written from the books and manuals that describe them."""
import numpy as np

# Dormand and Prince 1980: rows of a, then the weights of order 5, and those of order 5 minus order 4.
DORMAND_PRINCE = (
    [[], [1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9],
     [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
     [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
     [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]],
    [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1],
    [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40],
    5,
)
# Bogacki and Shampine 1989.
BOGACKI_SHAMPINE = (
    [[], [1 / 2], [0, 3 / 4], [2 / 9, 1 / 3, 4 / 9]],
    [0, 1 / 2, 3 / 4, 1],
    [-5 / 72, 1 / 12, 1 / 9, -1 / 8],
    3,
)


class Run:
    """Accepted points, counts, and slopes for interpolation."""

    def __init__(self):
        self.t, self.y, self.f = [], [], []
        self.steps = self.rejected = self.evaluations = 0

    def at(self, times):
        """Cubic Hermite interpolation between accepted points."""
        t, y, f = np.array(self.t), np.array(self.y), np.array(self.f)
        i = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
        h = (t[i + 1] - t[i])[:, None]
        s = (np.asarray(times) - t[i])[:, None] / h
        r = 1 - s
        return (y[i] * r * r * (1 + 2 * s) + y[i + 1] * s * s * (3 - 2 * s)
                + h * s * r * (r * f[i] - s * f[i + 1]))


class Proportional:
    """Hairer's proportional-integral control: root mean square over the components (and `idle` ones without error) or the largest, 0.9
    of the step allowed, exponents 1/k - 0.75 beta and beta = 0.2/k. Hairer, Norsett, Wanner 1993, II.4; Gustafsson 1991."""

    def __init__(self, order, idle=0, norm="rms"):
        self.k, self.beta, self.idle, self.norm, self.last, self.held = order, 0.2 / order, idle, norm, 1e-4, False
        self.alpha = 1 / order - 0.75 * self.beta

    def error(self, e, y, new, rtol, atol):
        ratio = e / (atol + rtol * np.maximum(abs(y), abs(new)))
        if self.norm == "max":
            return np.max(abs(ratio))
        return np.sqrt(ratio @ ratio / (len(y) + self.idle))

    def accepted(self, err):
        grow = 10.0 if err == 0 else min(10.0, max(0.2, 0.9 * err ** -self.alpha * self.last ** self.beta))
        self.last = max(err, 1e-4)
        grow, self.held = (min(grow, 1.0) if self.held else grow), False
        return grow

    def refused(self, err):
        self.held = True
        return min(0.9, max(0.2, 0.9 * err ** -self.alpha))


class Largest:
    """The control of MATLAB's ode23 and ode45: the largest component relative to max(|y|, atol/rtol), 0.8 of the step allowed, at most
    five times the last step. Shampine and Reichelt 1997."""

    def __init__(self, order, least=0.1):
        self.k, self.least, self.failed = order, least, 0

    def error(self, e, y, new, rtol, atol):
        return np.max(abs(e) / np.maximum(np.maximum(abs(y), abs(new)), atol / rtol)) / rtol

    def accepted(self, err):
        shrink = 1.25 * err ** (1 / self.k)
        grow = 5.0 if shrink <= 0.2 else 1 / shrink
        grow, self.failed = (1.0 if self.failed else grow), 0
        return grow

    def refused(self, err):
        self.failed += 1
        return max(self.least, 0.8 * err ** (-1 / self.k)) if self.failed == 1 else 0.5


def integrate(rhs, y, t_end, rtol, atol, pair, control, h, h_max, reset=None, t=0.0, step_seen=False, stop=None):
    """Integrates y' = rhs(t, y[, h]) with steps of at most `h_max`, the first of `h`. `reset` corrects the state after each step;
    `step_seen` gives the present step to the right-hand side; `stop(t, y)` ends the run."""
    a, c, error, _ = pair
    run = Run()
    y = np.array(y, float)

    def rates(t, y, h):
        run.evaluations += 1
        return np.asarray(rhs(t, y, h) if step_seen else rhs(t, y), float)

    k = [None] * len(a)
    k[0] = rates(t, y, 0.0)
    run.t.append(t), run.y.append(y.copy()), run.f.append(k[0])
    h = min(h, h_max)
    while t < t_end:
        distance = t_end - t
        # A step that all but reaches the end is stretched to it.
        stretch = 1e-6 if distance > h_max else 0.01
        last = distance <= h * (1 + stretch)
        if last:
            h = distance
        for i in range(1, len(a)):
            new = y + h * sum(w * k[j] for j, w in enumerate(a[i]) if w)
            k[i] = rates(t + c[i] * h, new, h)
        err = control.error(h * sum(w * k[j] for j, w in enumerate(error) if w), y, new, rtol, atol)
        if err <= 1:
            t = t_end if last else t + h
            y, k[0] = new, k[-1]
            run.steps += 1
            if reset is not None:
                y = reset(t, y)
                k[0] = rates(t, y, h)
            run.t.append(t), run.y.append(y.copy()), run.f.append(k[0])
            h = min(h_max, h * control.accepted(err))
            if stop is not None and stop(t, y):
                break
        else:
            run.rejected += 1
            h *= control.refused(err) if np.isfinite(err) else 0.25
            if h < 1e-14:
                break
    return run


def rk4(rhs, y, t_end, h, seen=None):
    """The classical Runge-Kutta method with a fixed step; `seen(t, y)` may end it."""
    y, n = np.array(y, float), round(t_end / h)
    for i in range(n):
        t = i * h
        k1 = rhs(t, y)
        k2 = rhs(t + h / 2, y + h / 2 * k1)
        k3 = rhs(t + h / 2, y + h / 2 * k2)
        k4 = rhs(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if seen is not None and seen(t + h, y):
            break
    return y
