// Pendulum, pitch link, double four-bar and a chain constrained from C++, against known values.
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
    Constrained(size_t n, size_t rows, TautPhi phi, TautRates f) : f(f)
    {
        std::vector<size_t> q(n), v(n);
        for (size_t i = 0; i < n; i++) q[i] = i, v[i] = n + i;
        TautOde *made = nullptr;
        if (taut_ode_new(2 * n, n, q.data(), v.data(), rows, phi, nullptr, &made) != TAUT_OK) throw std::invalid_argument("taut");
        ode.reset(made);
    }
    void dense_mass(const State &M) { check(taut_ode_set_mass_dense(ode.get(), M.data(), 1)); }
    void diagonal_mass(const State &M) { check(taut_ode_set_mass_diagonal(ode.get(), M.data())); }
    void nonzeros(const std::vector<size_t> &rows, const std::vector<size_t> &columns, const State &lengths)
    {
        check(taut_ode_set_nonzeros(ode.get(), rows.size(), rows.data(), columns.data()));
        check(taut_ode_set_scale(ode.get(), lengths.data(), 1));
    }
    State multipliers(size_t rows)
    {
        State lambda(rows);
        check(taut_ode_multipliers(ode.get(), lambda.data(), nullptr, nullptr));
        return lambda;
    }
    double residual(double t, const State &y)
    {
        double phi, rate;
        check(taut_ode_residuals(ode.get(), t, y.data(), &phi, &rate));
        return std::fmax(phi, rate);
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

/// Double four-bar: five rods (x, y, theta), seven pins.
static int double_four_bar()
{
    Constrained ode(
        15, 14,
        [](double, const double *q, double *phi, void *) -> int32_t {
            struct Pin { int a; double at; int b; double bt, x; };
            static const Pin pins[] = {{-1, 0, 0, -0.5, 0}, {-1, 0, 1, -0.5, 1}, {-1, 0, 2, -0.5, 2}, {0, 0.5, 3, -0.5, 0},
                                       {1, 0.5, 3, 0.5, 0}, {1, 0.5, 4, -0.5, 0}, {2, 0.5, 4, 0.5, 0}};
            for (const Pin &p : pins) {
                const double *b = q + 3 * p.b, *a = q + 3 * (p.a < 0 ? 0 : p.a);
                *phi++ = b[0] + p.bt * std::cos(b[2]) - (p.a < 0 ? p.x : a[0] + p.at * std::cos(a[2]));
                *phi++ = b[1] + p.bt * std::sin(b[2]) - (p.a < 0 ? 0 : a[1] + p.at * std::sin(a[2]));
            }
            return 0;
        },
        [](double, const double *y, double *ydot, void *) -> int32_t {
            for (int i = 0; i < 15; i++) ydot[i] = y[15 + i], ydot[15 + i] = i % 3 == 1 ? -9.81 : 0;
            return 0;
        });
    State y(30), mass(15);
    for (int i = 0; i < 15; i++) mass[i] = i % 3 == 2 ? 1.0 / 12 : 1;
    for (int c = 0; c < 3; c++)
        y[3 * c] = c, y[3 * c + 1] = 0.5, y[3 * c + 2] = std::acos(0.0), y[15 + 3 * c] = 0.5, y[15 + 3 * c + 2] = -1;
    for (int c = 0; c < 2; c++) y[9 + 3 * c] = c + 0.5, y[10 + 3 * c] = 1, y[24 + 3 * c] = 1;
    ode.diagonal_mass(mass);
    y = run(ode, y, 1e-3, 500);
    int failures = compare("crank angle at 0.5 s", y[2], 0.801977699239597, 1e-8);
    failures += compare("crank rate at 0.5 s", y[17], -2.7273084942772443, 1e-7);
    return failures + compare("phi and its rate", ode.residual(0.5, y), 0, 1e-11);
}

/// A chain of 1,000 coordinates, hanging at rest: the tension in a rod is the weight below it.
static int chain()
{
    constexpr size_t particles = 500;
    Constrained ode(
        2 * particles, particles,
        [](double, const double *q, double *phi, void *) -> int32_t {
            for (size_t k = 0; k < particles; k++)
                phi[k] = std::hypot(q[2 * k] - (k ? q[2 * k - 2] : 0), q[2 * k + 1] - (k ? q[2 * k - 1] : 0)) - 0.01;
            return 0;
        },
        [](double, const double *y, double *ydot, void *) -> int32_t {
            for (size_t i = 0; i < 2 * particles; i++) ydot[i] = y[2 * particles + i], ydot[2 * particles + i] = i % 2 ? -9.81 : 0;
            return 0;
        });
    State y(4 * particles);
    std::vector<size_t> rows, columns;
    for (size_t k = 0; k < particles; k++) {
        y[2 * k + 1] = -0.01 * double(k + 1);
        for (size_t j = k ? 2 * k - 2 : 0; j < 2 * k + 2; j++) rows.push_back(k), columns.push_back(j);
    }
    ode.nonzeros(rows, columns, State(2 * particles, 0.01));
    ode.project(0, y);
    ode(0, y);
    State lambda = ode.multipliers(particles);
    double worst = 0;
    for (size_t k = 0; k < particles; k++)
        worst = std::fmax(worst, std::fabs(std::fabs(lambda[k]) - 9.81 * double(particles - k)));
    int failures = compare("chain tensions", worst / (9.81 * particles), 0, 1e-6);
    return failures + compare("phi and its rate", ode.residual(0, y), 0, 1e-12);
}

int main()
{
    int failures = 0;
    Constrained pendulum(
        2, 1, [](double, const double *q, double *phi, void *) -> int32_t { return phi[0] = std::hypot(q[0], q[1]) - 1, 0; },
        [](double, const double *y, double *ydot, void *) -> int32_t {
            return ydot[0] = y[2], ydot[1] = y[3], ydot[2] = 0, ydot[3] = -9.81, 0;
        });
    State y = run(pendulum, {1, 0, 0, 0}, 1e-3, 1000);
    failures += compare("pendulum x at 1 s", y[0], -0.98629175113, 2e-9);
    failures += compare("pendulum z at 1 s", y[1], -0.16501085313, 2e-9);
    failures += compare("length", std::hypot(y[0], y[1]), 1, 1e-15);

    Constrained rotor(
        2, 1,
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
        });
    rotor.dense_mass({416.67, -1.875e-2, -1.875e-2, 9.375e-2});
    y = run(rotor, {0, 0, 0, 0}, 2.5e-4, 4000);
    failures += compare("flap at 1 s", y[0], -0.022450561923, 1e-8);
    failures += compare("pitch at 1 s", y[1], 0.005613610316, 1e-8);
    failures += double_four_bar() + chain();
    return failures;
}
