/* Add a pitch link to existing rotor code: the only new lines are those that contain "taut". */
#include <math.h>
#include <stdio.h>
#include <taut.h>

/* Existing code: flap and pitch of a blade, y = (beta, theta, beta', theta'). */
static int32_t blade(double t, const double *y, double *ydot, void *user)
{
    const double w = 40, ib = 416.67, ix = 1.875e-2, ip = 9.375e-2, det = ib * ip - ix * ix;
    double f1 = 1e4 * cos(w * t + acos(-1.0) / 2) - 0.5 * w * ib * y[2] - ib * w * w * 1.0625 * y[0] + ix * w * w * y[1];
    double f2 = -ip * w * w * y[1] + ix * w * w * y[0];
    ydot[0] = y[2];
    ydot[1] = y[3];
    ydot[2] = (ip * f1 + ix * f2) / det;
    ydot[3] = (ix * f1 + ib * f2) / det;
    return 0;
}

/* New: the length of the link minus 0.15 m. */
static int32_t link_length(double t, const double *q, double *phi, void *user)
{
    double x = 0.05 * cos(q[0]) - 0.2 * sin(q[0]) * sin(q[1]) - 0.05;
    double y = 0.2 * cos(q[1]) - 0.2;
    double z = 0.05 * sin(q[0]) + 0.2 * cos(q[0]) * sin(q[1]) + 0.15;
    phi[0] = sqrt(x * x + y * y + z * z) - 0.15;
    return 0;
}

int main(void)
{
    const double M[4] = {416.67, -1.875e-2, -1.875e-2, 9.375e-2}, h = 2.5e-4;
    const size_t positions[2] = {0, 1}, rates[2] = {2, 3};
    double y[4] = {0}, k[4][4], x[4], force;
    TautOde *ode;
    if (taut_ode_new(4, 2, positions, rates, 1, link_length, NULL, &ode)) return 1;
    taut_ode_set_mass_dense(ode, M, 1);
    for (int step = 0; step < 4000; step++) { /* Runge-Kutta, as before */
        for (int s = 0; s < 4; s++) {
            double c = s == 0 ? 0 : s == 3 ? 1 : 0.5;
            for (int i = 0; i < 4; i++) x[i] = y[i] + (s ? c * h * k[s - 1][i] : 0);
            if (taut_ode_rates(ode, h * step + c * h, x, k[s], blade, NULL, NULL)) return printf("%s\n", taut_ode_message(ode));
        }
        for (int i = 0; i < 4; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        if (taut_ode_project(ode, h * (step + 1), y, NULL)) return printf("%s\n", taut_ode_message(ode));
    }
    taut_ode_rates(ode, 1.0, y, x, blade, NULL, NULL);
    taut_ode_multipliers(ode, &force, NULL, NULL);
    printf("flap %.12f pitch %.12f force %.9f\n", y[0], y[1], force);
    taut_ode_free(ode);
    return 0;
}
