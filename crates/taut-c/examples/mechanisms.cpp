// Pendulum and pitch link constrained from C++, against known values.
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <taut.h>
#include <vector>

using State = std::vector<double>;

/// A constrained ODE that throws the library's messages.
class Constrained {
    std::unique_ptr<TautOde, void (*)(TautOde *)> ode{nullptr, taut_ode_free};
    TautRates f;
    void check(int32_t status) const
    {
        if (status != TAUT_OK) throw std::runtime_error(taut_ode_message(ode.get()));
    }

public:
    Constrained(size_t n, TautPhi phi, TautRates f, const State &M) : f(f)
    {
        std::vector<size_t> q(n), v(n);
        for (size_t i = 0; i < n; i++) q[i] = i, v[i] = n + i;
        TautOde *made = nullptr;
        if (taut_ode_new(2 * n, n, q.data(), v.data(), 1, phi, nullptr, &made) != TAUT_OK) throw std::invalid_argument("taut");
        ode.reset(made);
        check(taut_ode_set_mass_dense(made, M.data(), 1));
    }
    State operator()(double t, const State &y)
    {
        State ydot(y.size());
        check(taut_ode_rates(ode.get(), t, y.data(), ydot.data(), f, nullptr, nullptr));
        return ydot;
    }
    void project(double t, State &y) { check(taut_ode_project(ode.get(), t, y.data(), nullptr)); }
};

static State axpy(const State &y, double h, const State &k)
{
    State x(y);
    for (size_t i = 0; i < x.size(); i++) x[i] += h * k[i];
    return x;
}

static State run(Constrained &ode, State y, double h, int steps)
{
    for (int step = 0; step < steps; step++) {
        double t = h * step;
        State k1 = ode(t, y), k2 = ode(t + h / 2, axpy(y, h / 2, k1)), k3 = ode(t + h / 2, axpy(y, h / 2, k2));
        State k4 = ode(t + h, axpy(y, h, k3));
        for (size_t i = 0; i < y.size(); i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
        ode.project(t + h, y);
    }
    return y;
}

static int compare(const char *what, double found, double known, double tolerance)
{
    bool good = std::fabs(found - known) <= tolerance;
    std::printf("%s %-20s %.12g known %.12g\n", good ? "ok  " : "FAIL", what, found, known);
    return good ? 0 : 1;
}

int main()
{
    int failures = 0;
    Constrained pendulum(
        2, [](double, const double *q, double *phi, void *) -> int32_t { return phi[0] = std::hypot(q[0], q[1]) - 1, 0; },
        [](double, const double *y, double *ydot, void *) -> int32_t {
            return ydot[0] = y[2], ydot[1] = y[3], ydot[2] = 0, ydot[3] = -9.81, 0;
        },
        {1, 0, 0, 1});
    State y = run(pendulum, {1, 0, 0, 0}, 1e-3, 1000);
    failures += compare("pendulum x at 1 s", y[0], -0.98629175113, 2e-9);
    failures += compare("pendulum z at 1 s", y[1], -0.16501085313, 2e-9);
    failures += compare("length", std::hypot(y[0], y[1]), 1, 1e-15);

    Constrained rotor(
        2,
        [](double, const double *q, double *phi, void *) -> int32_t {
            double x = 0.05 * std::cos(q[0]) - 0.2 * std::sin(q[0]) * std::sin(q[1]) - 0.05, y = 0.2 * std::cos(q[1]) - 0.2;
            double z = 0.05 * std::sin(q[0]) + 0.2 * std::cos(q[0]) * std::sin(q[1]) + 0.15;
            return phi[0] = std::sqrt(x * x + y * y + z * z) - 0.15, 0;
        },
        [](double t, const double *y, double *ydot, void *) -> int32_t {
            const double w = 40, ib = 416.67, ix = 1.875e-2, ip = 9.375e-2, det = ib * ip - ix * ix;
            double f1 = 1e4 * std::cos(w * t + std::acos(-1.0) / 2) - 0.5 * w * ib * y[2] - ib * w * w * 1.0625 * y[0] +
                        ix * w * w * y[1];
            double f2 = -ip * w * w * y[1] + ix * w * w * y[0];
            return ydot[0] = y[2], ydot[1] = y[3], ydot[2] = (ip * f1 + ix * f2) / det, ydot[3] = (ix * f1 + ib * f2) / det, 0;
        },
        {416.67, -1.875e-2, -1.875e-2, 9.375e-2});
    y = run(rotor, {0, 0, 0, 0}, 2.5e-4, 4000);
    failures += compare("flap at 1 s", y[0], -0.022450561923, 1e-8);
    failures += compare("pitch at 1 s", y[1], 0.005613610316, 1e-8);
    return failures;
}
