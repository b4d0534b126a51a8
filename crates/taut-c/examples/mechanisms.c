/* Mechanisms constrained from C, against known values. Exit code 0 if all digits agree. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taut.h>

#define PARTICLES 500
static int failures = 0;

static void compare(const char *what, double found, double known, double tolerance)
{
    int good = fabs(found - known) <= tolerance;
    printf("%s %-28s %.12g known %.12g\n", good ? "ok  " : "FAIL", what, found, known);
    failures += !good;
}

static void check(TautOde *ode, int32_t status)
{
    if (status != TAUT_OK) {
        printf("FAIL %s: %s\n", taut_status_text(status), taut_ode_message(ode));
        exit(1);
    }
}

static void rk4(TautOde *ode, TautRates f, double *y, size_t n, double t0, double h, int steps)
{
    double *k = malloc(5 * n * sizeof(double)), *x = k + 4 * n;
    for (int step = 0; step < steps; step++) {
        double t = t0 + h * step;
        for (int s = 0; s < 4; s++) {
            double c = s == 0 ? 0 : s == 3 ? 1 : 0.5;
            for (size_t i = 0; i < n; i++) x[i] = y[i] + (s ? c * h * k[(s - 1) * n + i] : 0);
            check(ode, taut_ode_rates(ode, t + c * h, x, k + s * n, f, NULL, NULL));
        }
        for (size_t i = 0; i < n; i++) y[i] += h / 6 * (k[i] + 2 * k[n + i] + 2 * k[2 * n + i] + k[3 * n + i]);
        check(ode, taut_ode_project(ode, t0 + h * (step + 1), y, NULL));
    }
    free(k);
}

static TautOde *make(size_t n, size_t rows, TautPhi phi)
{
    size_t *lists = malloc(2 * n * sizeof(size_t));
    TautOde *ode = NULL;
    for (size_t i = 0; i < n; i++) lists[i] = i, lists[n + i] = n + i;
    check(ode, taut_ode_new(2 * n, n, lists, lists + n, rows, phi, NULL, &ode));
    free(lists);
    return ode;
}

static void residuals(TautOde *ode, double t, const double *y, double phi_bound, double rate_bound)
{
    double phi, rate;
    check(ode, taut_ode_residuals(ode, t, y, &phi, &rate));
    compare("  phi", phi, 0, phi_bound);
    compare("  rate of phi", rate, 0, rate_bound);
}

/* Pendulum, y = (x, z, vx, vz). */
static int32_t falling(double t, const double *y, double *ydot, void *user)
{
    ydot[0] = y[2], ydot[1] = y[3], ydot[2] = 0, ydot[3] = -9.81;
    return 0;
}
static int32_t rod(double t, const double *q, double *phi, void *user)
{
    phi[0] = hypot(q[0], q[1]) - 1;
    return 0;
}
static void pendulum(void)
{
    double y[4] = {1, 0, 0, 0};
    TautOde *ode = make(2, 1, rod);
    rk4(ode, falling, y, 4, 0, 1e-3, 2000);
    compare("pendulum x at 2 s", y[0], 0.79356619534, 2e-9);
    compare("pendulum z at 2 s", y[1], -0.60848393044, 2e-9);
    residuals(ode, 2, y, 1e-15, 1e-12);
    taut_ode_free(ode);
}

/* Pitch link, y = (beta, theta, beta', theta'). */
static int32_t blade(double t, const double *y, double *ydot, void *user)
{
    const double w = 40, ib = 416.67, ix = 1.875e-2, ip = 9.375e-2, det = ib * ip - ix * ix;
    double f1 = 1e4 * cos(w * t + acos(-1.0) / 2) - 0.5 * w * ib * y[2] - ib * w * w * 1.0625 * y[0] + ix * w * w * y[1];
    double f2 = -ip * w * w * y[1] + ix * w * w * y[0];
    ydot[0] = y[2], ydot[1] = y[3], ydot[2] = (ip * f1 + ix * f2) / det, ydot[3] = (ix * f1 + ib * f2) / det;
    return 0;
}
static int32_t link_length(double t, const double *q, double *phi, void *user)
{
    double x = 0.05 * cos(q[0]) - 0.2 * sin(q[0]) * sin(q[1]) - 0.05, y = 0.2 * cos(q[1]) - 0.2;
    double z = 0.05 * sin(q[0]) + 0.2 * cos(q[0]) * sin(q[1]) + 0.15;
    phi[0] = sqrt(x * x + y * y + z * z) - 0.15;
    return 0;
}
static void pitch_link(void)
{
    const double M[4] = {416.67, -1.875e-2, -1.875e-2, 9.375e-2};
    double y[4] = {0}, ydot[4], lambda;
    TautOde *ode = make(2, 1, link_length);
    check(ode, taut_ode_set_mass_dense(ode, M, 1));
    rk4(ode, blade, y, 4, 0, 2.5e-4, 4000);
    compare("flap at 1 s", y[0], -0.022450561923, 1e-8);
    compare("pitch at 1 s", y[1], 0.005613610316, 1e-8);
    compare("pitch rate at 1 s", y[3], 0.195560043, 1e-7);
    check(ode, taut_ode_rates(ode, 1, y, ydot, blade, NULL, NULL));
    check(ode, taut_ode_multipliers(ode, &lambda, NULL, NULL));
    compare("link force at 1 s", lambda, 0.002018908, 1e-6);
    residuals(ode, 1, y, 1e-15, 1e-13);
    taut_ode_free(ode);
}

/* Double four-bar: five rods (x, y, theta), seven pins. */
static int32_t falling_bars(double t, const double *y, double *ydot, void *user)
{
    memcpy(ydot, y + 15, 15 * sizeof(double));
    for (int i = 0; i < 15; i++) ydot[15 + i] = i % 3 == 1 ? -9.81 : 0;
    return 0;
}
static int32_t pins(double t, const double *q, double *phi, void *user)
{
    static const double ends[7][5] = {{-1, 0, 0, -0.5, 0}, {-1, 0, 1, -0.5, 1}, {-1, 0, 2, -0.5, 2}, {0, 0.5, 3, -0.5, 0},
                                      {1, 0.5, 3, 0.5, 0}, {1, 0.5, 4, -0.5, 0}, {2, 0.5, 4, 0.5, 0}};
    for (int k = 0; k < 7; k++) {
        const double *e = ends[k], *b = q + 3 * (int)e[2], *a = q + 3 * (int)(e[0] < 0 ? 0 : e[0]);
        double ax = e[0] < 0 ? e[4] : a[0] + e[1] * cos(a[2]), ay = e[0] < 0 ? 0 : a[1] + e[1] * sin(a[2]);
        phi[2 * k] = b[0] + e[3] * cos(b[2]) - ax;
        phi[2 * k + 1] = b[1] + e[3] * sin(b[2]) - ay;
    }
    return 0;
}
static void double_four_bar(void)
{
    double y[30] = {0}, mass[15];
    for (int c = 0; c < 3; c++)
        y[3 * c] = c, y[3 * c + 1] = 0.5, y[3 * c + 2] = acos(0.0), y[15 + 3 * c] = 0.5, y[15 + 3 * c + 2] = -1;
    for (int c = 0; c < 2; c++) y[9 + 3 * c] = c + 0.5, y[10 + 3 * c] = 1, y[24 + 3 * c] = 1;
    for (int i = 0; i < 15; i++) mass[i] = i % 3 == 2 ? 1.0 / 12 : 1;
    TautOde *ode = make(15, 14, pins);
    check(ode, taut_ode_set_mass_diagonal(ode, mass));
    rk4(ode, falling_bars, y, 30, 0, 1e-3, 500);
    compare("crank angle at 0.5 s", y[2], 0.801977699239597, 1e-8);
    compare("crank rate at 0.5 s", y[17], -2.7273084942772443, 1e-7);
    residuals(ode, 0.5, y, 1e-14, 1e-11);
    taut_ode_free(ode);
}

/* A chain of 1000 coordinates, hanging at rest: the tension in a rod is the weight below it. */
static int32_t falling_chain(double t, const double *y, double *ydot, void *user)
{
    memcpy(ydot, y + 2 * PARTICLES, 2 * PARTICLES * sizeof(double));
    for (int i = 0; i < PARTICLES; i++) ydot[2 * PARTICLES + 2 * i] = 0, ydot[2 * PARTICLES + 2 * i + 1] = -9.81;
    return 0;
}
static int32_t rods(double t, const double *q, double *phi, void *user)
{
    for (int k = 0; k < PARTICLES; k++)
        phi[k] = hypot(q[2 * k] - (k ? q[2 * k - 2] : 0), q[2 * k + 1] - (k ? q[2 * k - 1] : 0)) - 0.01;
    return 0;
}
static void chain(void)
{
    static double y[4 * PARTICLES], ydot[4 * PARTICLES], lambda[PARTICLES];
    static size_t rows[4 * PARTICLES], columns[4 * PARTICLES];
    static double lengths[2 * PARTICLES];
    double scale = 0, worst = 0;
    size_t count = 0;
    for (size_t k = 0; k < PARTICLES; k++) {
        y[2 * k + 1] = -0.01 * (double)(k + 1);
        lengths[2 * k] = lengths[2 * k + 1] = 0.01;
        for (size_t j = k ? 2 * k - 2 : 0; j < 2 * k + 2; j++) rows[count] = k, columns[count++] = j;
    }
    TautOde *ode = make(2 * PARTICLES, PARTICLES, rods);
    check(ode, taut_ode_set_nonzeros(ode, count, rows, columns));
    check(ode, taut_ode_set_scale(ode, lengths, 1)); /* phi is smooth over the length of a rod */
    check(ode, taut_ode_project(ode, 0, y, NULL));
    check(ode, taut_ode_rates(ode, 0, y, ydot, falling_chain, NULL, NULL));
    check(ode, taut_ode_multipliers(ode, lambda, NULL, NULL));
    for (int k = 0; k < PARTICLES; k++) {
        double weight = 9.81 * (PARTICLES - k);
        scale = fmax(scale, weight);
        worst = fmax(worst, fabs(fabs(lambda[k]) - weight));
    }
    compare("chain tensions", worst / scale, 0, 1e-6);
    residuals(ode, 0, y, 1e-15, 1e-12);
    taut_ode_free(ode);
}

/* The pendulum in a fully implicit code: BDF2 with Newton's method on the residual with lambda and mu appended. */
static int32_t implicit_particle(double t, const double *y, const double *ydot, double *g, void *user)
{
    g[0] = ydot[0] - y[2], g[1] = ydot[1] - y[3], g[2] = 2 * ydot[2], g[3] = 2 * (ydot[3] + 9.81);
    return 0;
}
static void solve_linear(int n, double *K, double *x) /* elimination with pivots; K is n x n, row by row */
{
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(K[r * n + c]) > fabs(K[p * n + c])) p = r;
        for (int j = 0; j < n && p != c; j++) {
            double swap = K[c * n + j];
            K[c * n + j] = K[p * n + j], K[p * n + j] = swap;
        }
        double swap = x[c];
        x[c] = x[p], x[p] = swap;
        for (int r = 0; r < n; r++) {
            double factor = r == c ? 0 : K[r * n + c] / K[c * n + c];
            for (int j = c; j < n && factor != 0; j++) K[r * n + j] -= factor * K[c * n + j];
            x[r] -= factor * x[c];
        }
    }
    for (int c = 0; c < n; c++) x[c] /= K[c * n + c];
}
static void implicit_pendulum(void)
{
    enum { SIZE = 6, STEPS = 200 };
    const size_t kinematic[2] = {0, 1}, motion[2] = {2, 3};
    const double h = 0.5 / STEPS;
    double Y[SIZE] = {1}, before[SIZE] = {1}, x[SIZE], rate[SIZE], old[SIZE], G[SIZE], moved[SIZE], K[SIZE * SIZE];
    size_t size = 0;
    TautOde *ode = make(2, 1, rod);
    check(ode, taut_ode_set_implicit(ode, kinematic, motion, 2));
    check(ode, taut_ode_residual_size(ode, &size));
    compare("entries of (y, lambda, mu)", (double)size, SIZE, 0);
    for (int step = 0; step < STEPS; step++) {
        double t = h * (step + 1), c = step ? 1.5 : 1;
        for (int i = 0; i < SIZE; i++) old[i] = step ? 2 * Y[i] - 0.5 * before[i] : Y[i], x[i] = Y[i];
        for (int iteration = 0; iteration < 8; iteration++) {
            for (int i = 0; i < SIZE; i++) rate[i] = (c * x[i] - old[i]) / h;
            check(ode, taut_ode_residual(ode, t, x, rate, G, implicit_particle, NULL));
            for (int j = 0; j < SIZE; j++) { /* dG/dx by differences */
                x[j] += 1e-6, rate[j] += 1e-6 * c / h;
                check(ode, taut_ode_residual(ode, t, x, rate, moved, implicit_particle, NULL));
                x[j] -= 1e-6, rate[j] -= 1e-6 * c / h;
                for (int i = 0; i < SIZE; i++) K[i * SIZE + j] = (moved[i] - G[i]) / 1e-6;
            }
            solve_linear(SIZE, K, G);
            for (int i = 0; i < SIZE; i++) x[i] -= G[i];
        }
        memcpy(before, Y, sizeof Y), memcpy(Y, x, sizeof x);
    }
    compare("implicit pendulum x", Y[0], 0.39104879155, 3e-4);
    compare("implicit pendulum tension", Y[4], -3 * 2 * 9.81 * 0.92036994879, 0.05);
    compare("  length", hypot(Y[0], Y[1]), 1, 1e-12);
    compare("  rates of this handle", taut_ode_rates(ode, 0, Y, rate, falling, NULL, NULL), TAUT_UNSUPPORTED, 0);
    taut_ode_free(ode);
}

/* A full weight: a point off the line x + y = 1 returns along W^-1 (1, 1). */
static int32_t line(double t, const double *q, double *phi, void *user)
{
    phi[0] = q[0] + q[1] - 1;
    return 0;
}
static void full_weight(void)
{
    const double W[4] = {2, 0.5, 0.5, 1}, wrong[4] = {1, 2, 3, 4};
    double y[4] = {0, 0, 0, 0};
    TautOde *ode = make(2, 1, line);
    compare("weight that is not symmetric", taut_ode_set_weight_dense(ode, wrong) != TAUT_OK, 1, 0);
    check(ode, taut_ode_set_weight_dense(ode, W));
    check(ode, taut_ode_project(ode, 0, y, NULL));
    /* W^-1 (1, 1) is proportional to (1 - 0.5, 2 - 0.5). */
    compare("full weight, x", y[0], 0.25, 1e-14);
    compare("full weight, y", y[1], 0.75, 1e-14);
    taut_ode_free(ode);
}

/* x = 0 and x = 1 contradict each other: halfway, each with a residual of 1/2. */
static int32_t contradictory(double t, const double *q, double *phi, void *user)
{
    phi[0] = q[0], phi[1] = q[0] - 1;
    return 0;
}
static void contradictions(void)
{
    double y[2] = {0.2, 0};
    TautOde *ode = make(1, 2, contradictory);
    compare("contradiction", taut_ode_project(ode, 0, y, NULL), TAUT_CONTRADICTORY, 0);
    taut_ode_free(ode);
    ode = make(1, 2, contradictory);
    compare("unknown treatment", taut_ode_set_inconsistent(ode, 2), TAUT_OPTION, 0);
    check(ode, taut_ode_set_inconsistent(ode, 1));
    check(ode, taut_ode_project(ode, 0, y, NULL));
    compare("least squares", y[0], 0.5, 1e-14);
    taut_ode_free(ode);
}

/* Errors have a status and a message. */
static void errors(void)
{
    TautOde *ode = NULL;
    TautSystem *system = NULL;
    size_t lists[4] = {0, 1, 1, 3};
    double y[4] = {1, NAN, 0, 0}, ydot[4];
    compare("index twice", taut_ode_new(4, 2, lists, lists + 2, 1, rod, NULL, &ode), TAUT_INDEX, 0);
    compare("null function", taut_ode_new(4, 2, lists, lists + 2, 1, NULL, NULL, &ode), TAUT_NULL, 0);
    compare("null handle", taut_ode_rates(NULL, 0, y, ydot, falling, NULL, NULL), TAUT_NULL, 0);
    ode = make(2, 1, rod);
    compare("NaN", taut_ode_rates(ode, 0, y, ydot, falling, NULL, NULL), TAUT_NOT_FINITE, 0);
    compare("message", strncmp(taut_ode_message(ode), "entry 1 of y", 12), 0, 0);
    y[1] = 0;
    compare("NaN time", taut_ode_rates(ode, NAN, y, ydot, falling, NULL, NULL), TAUT_NOT_FINITE, 0);
    taut_ode_free(ode);
    compare("more states than memory", taut_ode_new(SIZE_MAX, 2, lists, lists + 2, 1, rod, NULL, &ode), TAUT_SIZE, 0);
    compare("more rows than memory", taut_system_new(1000000000, 1000000000, &system), TAUT_SIZE, 0);

    /* Matrix level: [FumagalliMasarati2009], contradictory rows give v' = (11/18, 8/9, 19/18). */
    const double M[9] = {4, 1, 0, 1, 3, 1, 0, 1, 2}, A[6] = {1, 1, 0, 1, 1, 0}, f[3] = {1, 2, 3}, b[2] = {1, 2};
    double vdot[3], lambda[2];
    TautQuality quality;
    taut_system_new(3, 2, &system);
    taut_system_set_mass_dense(system, M, 1);
    taut_system_set_jacobian(system, A);
    compare("accelerations", taut_system_accelerations(system, f, b, vdot, lambda, &quality), TAUT_OK, 0);
    compare("v'", vdot[2], 19.0 / 18, 1e-14);
    compare("lambda", lambda[0], 7.0 / 6, 1e-14);
    compare("rank", (double)quality.rank, 1, 0);
    compare("formulation", taut_formulation("cholesky", 3, 2, M, 1, f, A, NULL, b, vdot, lambda), TAUT_OK, 0);
    compare("v' by eq. (23)", vdot[2], 19.0 / 18, 1e-14);
    compare("unknown name", taut_formulation("none", 3, 2, M, 1, f, A, NULL, b, vdot, lambda), TAUT_FORMULATION, 0);
    taut_system_free(system);
}

int main(void)
{
    pendulum();
    pitch_link();
    double_four_bar();
    chain();
    implicit_pendulum();
    full_weight();
    contradictions();
    errors();
    return failures != 0;
}
