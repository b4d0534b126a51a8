/* Taut: kinematic constraints for your own ODE code. Generated from the sources of taut-c; do not edit.
 *
 * Every function returns a status, 0 for success; taut_system_message and taut_ode_message give the sentence.
 * A handle belongs to one thread at a time. There is no global state. Indices count from 0.
 * Matrices are stored row by row; in Fortran, declare the transpose: A(n, m).
 */
#ifndef TAUT_H
#define TAUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Success. */
#define TAUT_OK 0

/* A pointer is null. */
#define TAUT_NULL 1

/* A size is wrong. */
#define TAUT_SIZE 2

/* A number is NaN or infinite. */
#define TAUT_NOT_FINITE 3

/* An index is out of range or occurs twice. */
#define TAUT_INDEX 4

/* M is not positive along a motion that the constraints leave free. */
#define TAUT_MASS 5

/* The constraints contradict each other. */
#define TAUT_CONTRADICTORY 6

/* Newton's method did not reach the constraints. */
#define TAUT_NOT_CONVERGED 7

/* An entry declared a rate is not the derivative of its position. */
#define TAUT_NOT_A_RATE 8

/* An option is invalid. */
#define TAUT_OPTION 9

/* The operation does not exist in this state or for this matrix. */
#define TAUT_UNSUPPORTED 10

/* A user function returned an error. */
#define TAUT_FUNCTION 11

/* A published formulation failed, or its name is unknown. */
#define TAUT_FORMULATION 12

/* An error inside the library; please report it. */
#define TAUT_INTERNAL 13

/* What a status means; the text lives as long as the program. */
const char *taut_status_text(int32_t status);

/* Replaces r by M⁻¹ r, n numbers. Returns 0, or a code for failure. */
typedef int32_t (*TautMassSolve)(size_t n, double *r, void *user);

/* A system of equations M v' = f + A^T lambda, A v' = b. Opaque. */
typedef struct TautSystem TautSystem;

/* What a solution satisfies. */
typedef struct TautQuality {
    /* Number of independent rows. */
    size_t rank;
    /* The row with the largest residual. */
    size_t row;
    /* The largest |A v' - b|. */
    double residual;
    /* Gauss' function (v' - a)^T M (v' - a)/2; NaN if M is singular or not symmetric. */
    double gaussian;
} TautQuality;

/* A system with n coordinates and m rows; M is the identity and A is zero until they are set. */
int32_t taut_system_new(size_t n, size_t m, TautSystem **system);

/* Releases a system; null is allowed. */
void taut_system_free(TautSystem *system);

/* The last message of this system; valid until its next call. */
const char *taut_system_message(const TautSystem *system);

/* Weighting of contradictory and redundant rows: 0 as written (default), 1 scaled to unit length in the norm of M^-1. */
int32_t taut_system_set_weighting(TautSystem *system, int32_t weighting);

/* A diagonal M: n numbers. */
int32_t taut_system_set_mass_diagonal(TautSystem *system, const double *diagonal);

/* A full M, n x n; `symmetric` is 0 or 1. */
int32_t taut_system_set_mass_dense(TautSystem *system, const double *M, int32_t symmetric);

/* Symmetric blocks along the diagonal: their sizes, and the entries of all blocks one after the other. */
int32_t taut_system_set_mass_blocks(TautSystem *system, size_t count, const size_t *sizes, const double *values);

/* A sparse symmetric M with both triangles, as CSR (or CSC): n + 1 offsets, columns and values. */
int32_t taut_system_set_mass_sparse(TautSystem *system, const size_t *offsets, const size_t *columns, const double *values);

/* Only a way to solve with M, which must be symmetric and positive definite. */
int32_t taut_system_set_mass_solve(TautSystem *system, TautMassSolve solve, void *user);

/* A, m x n, row by row. */
int32_t taut_system_set_jacobian(TautSystem *system, const double *A);

/* A sparse A as CSR: m + 1 offsets, columns and values. */
int32_t taut_system_set_jacobian_sparse(TautSystem *system, const size_t *offsets, const size_t *columns, const double *values);

/* Reactions B^T lambda in place of A^T lambda: B is m x n, row by row; null restores A. */
int32_t taut_system_set_reactions(TautSystem *system, const double *B);

/* Accelerations (n) and multipliers (m) for forces f (n) and right-hand sides b (m). `quality` may be null. */
int32_t taut_system_accelerations(TautSystem *system, const double *f, const double *b, double *vdot, double *lambda, TautQuality *quality);

/* The least correction delta (n), in the norm of M, with A delta = -residual (m), and its multipliers mu (m):
   delta = M^-1 A^T mu. For another weight W, set W in place of M. */
int32_t taut_system_correction(TautSystem *system, const double *residual, double *delta, double *mu, TautQuality *quality);

/* Accelerations and multipliers of M v' = f + B^T lambda, A v' = b by a published formulation: "lagrange", "cholesky",
   "regularised", "udwadia_kalaba_spectral", "null_space" and others, as in Taut's model files. B may be null if it equals A;
   `symmetric` is 0 or 1. M is n x n, A and B are m x n, row by row. */
int32_t taut_formulation(const char *name, size_t n, size_t m, const double *M, int32_t symmetric, const double *f, const double *A, const double *B, const double *b, double *vdot, double *lambda);

/* The user's right-hand side: writes ydot (states). Returns 0, or a code for failure. */
typedef int32_t (*TautRates)(double t, const double *y, double *ydot, void *user);

/* Writes phi(t, q). */
typedef int32_t (*TautPhi)(double t, const double *q, double *phi, void *user);

/* Writes psi(t, q, v); also the form of the functions for A (row by row) and b. */
typedef int32_t (*TautPsi)(double t, const double *q, const double *v, double *psi, void *user);

/* Writes phi for complex t, q: all as pairs (real, imaginary), like `double complex` of C and `complex` of Fortran. */
typedef int32_t (*TautComplexPhi)(const double *t, const double *q, double *phi, void *user);

/* Writes M(t, q), n x n. */
typedef int32_t (*TautMass)(double t, const double *q, double *M, void *user);

/* An ODE with constraints. Opaque. Set everything before the first evaluation. */
typedef struct TautOde TautOde;

/* What a projection did. */
typedef struct TautProjection {
    /* Iterations of Newton's method. */
    size_t iterations;
    /* Number of independent rows. */
    size_t rank;
    /* The largest |phi| left. */
    double position_residual;
    /* The largest rate of phi, or psi, left. */
    double velocity_residual;
    /* The largest change of a coordinate. */
    double position_change;
    /* The largest change of a velocity. */
    double velocity_change;
} TautProjection;

/* Constraints for a state of `states` entries, of which `positions[k]` is a coordinate and `rates[k]` its rate, k < n.
   phi has `rows` rows. M is the identity until it is set: the constraints then hold, but the motion is that of equal masses. */
int32_t taut_ode_new(size_t states, size_t n, const size_t *positions, const size_t *rates, size_t rows, TautPhi phi, void *user, TautOde **ode);

/* Releases a handle; null is allowed. */
void taut_ode_free(TautOde *ode);

/* The last message of this handle; valid until its next call. */
const char *taut_ode_message(const TautOde *ode);

/* The right-hand side with constraints: calls `f` at the corrected state and writes ydot. `quality` may be null. */
int32_t taut_ode_rates(TautOde *ode, double t, const double *y, double *ydot, TautRates f, void *user, TautQuality *quality);

/* Moves positions and velocities of y onto the constraints. Call it after each step. `projection` may be null. */
int32_t taut_ode_project(TautOde *ode, double t, double *y, TautProjection *projection);

/* Copies the multipliers of the last calls: lambda of the accelerations, mu of the velocities, nu of the positions, one per
   row (rows of phi, then of psi). Each pointer may be null. */
int32_t taut_ode_multipliers(TautOde *ode, double *lambda, double *mu, double *nu);

/* The largest |phi|, and the largest rate of phi or psi, at a state. */
int32_t taut_ode_residuals(TautOde *ode, double t, const double *y, double *position, double *velocity);

/* Adds `rows` rows psi(t, q, v) = 0. */
int32_t taut_ode_set_psi(TautOde *ode, size_t rows, TautPsi psi, void *user);

/* phi for complex arguments: derivatives by complex steps, without truncation error. */
int32_t taut_ode_set_complex_phi(TautOde *ode, TautComplexPhi phi, void *user);

/* A of all rows, row by row: exact derivatives. With nonzeros set, only these, in their order by rows and columns. */
int32_t taut_ode_set_jacobian(TautOde *ode, TautPsi jacobian, void *user);

/* b of all rows, with A v' = b. */
int32_t taut_ode_set_bias(TautOde *ode, TautPsi bias, void *user);

/* The places at which A can differ from zero: `count` pairs of row and column. Long chains then cost little. */
int32_t taut_ode_set_nonzeros(TautOde *ode, size_t count, const size_t *rows, const size_t *columns);

/* Changes of each coordinate (n numbers) and of time over which phi is smooth, such as the shortest length in it; default: 1.
   They set the steps of the differences, which are 1/256 and 1/64 of them. */
int32_t taut_ode_set_scale(TautOde *ode, const double *coordinates, double time);

/* A diagonal M: n numbers. */
int32_t taut_ode_set_mass_diagonal(TautOde *ode, const double *diagonal);

/* A full constant M, n x n; `symmetric` is 0 or 1. */
int32_t taut_ode_set_mass_dense(TautOde *ode, const double *M, int32_t symmetric);

/* A full symmetric M that depends on t and q. */
int32_t taut_ode_set_mass_function(TautOde *ode, TautMass mass, void *user);

/* Only a way to solve with a constant M. */
int32_t taut_ode_set_mass_solve(TautOde *ode, TautMassSolve solve, void *user);

/* A diagonal weight W of the corrections: n numbers; default: M. */
int32_t taut_ode_set_weight_diagonal(TautOde *ode, const double *diagonal);

/* A full weight W of the corrections, n x n, symmetric and positive definite. */
int32_t taut_ode_set_weight_dense(TautOde *ode, const double *W);

/* Options: what an evaluation corrects (0 nothing, 1 velocities, the default, 2 positions and velocities), the weighting
   of the rows (0 as written, 1 scaled), and the largest residual accepted after a projection (default: 1e-9). */
int32_t taut_ode_set_options(TautOde *ode, int32_t stage, int32_t weighting, double tolerance);

/* Constraints that contradict each other in position or velocity: 0 stop with TAUT_CONTRADICTORY (default), 1 continue with the
   least-squares solution; the quality reports its residual. */
int32_t taut_ode_set_inconsistent(TautOde *ode, int32_t inconsistent);

/* The user's residual: writes g (states) from t, y and ydot. Returns 0, or a code for failure. */
typedef int32_t (*TautResidual)(double t, const double *y, const double *ydot, double *g, void *user);

/* Makes the handle serve a fully implicit code g(t, y, ydot) = 0. For each coordinate k, `kinematic[k]` is the row q' - v = 0 of
   g and `motion[k]` the row M v' - f = 0. `form` is 1 (A v' = b and A q' = -phi_t; project after each step with another handle)
   or 2 (phi = 0 and its rate: for BDF and Radau IIA; nothing drifts). */
int32_t taut_ode_set_implicit(TautOde *ode, const size_t *kinematic, const size_t *motion, int32_t form);

/* The number of entries of Y = (y, lambda, mu): lambda for all rows, mu for those of phi. */
int32_t taut_ode_residual_size(TautOde *ode, size_t *size);

/* G(t, Y, Ydot) from the user's g. Y, Ydot and G have the size that taut_ode_residual_size gives. */
int32_t taut_ode_residual(TautOde *ode, double t, const double *Y, const double *Ydot, double *G, TautResidual g, void *user);

#ifdef __cplusplus
}
#endif

#endif /* TAUT_H */
