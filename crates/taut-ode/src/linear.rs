//! What a system may provide besides its right-hand side, for implicit methods.

use crate::Refusal;

/// Solver for linear systems with the Jacobian `J = ∂F/∂y`, for a system that has better than finite differences and a dense
/// factorisation.
///
/// The system itself stores the Jacobian and the factors, so only one stepper at a time may use it. After a discontinuity
/// ([`jump`](crate::Stepper::jump)) or a restoration the stepper computes both again.
pub trait JacobianSolver {
    /// Evaluates `J` at `(t, y)` and stores it until the next call.
    ///
    /// # Errors
    /// A [`Refusal`] when there is no derivative at `(t, y)`.
    fn linearise(&mut self, t: f64, y: &[f64]) -> Result<(), Refusal>;

    /// Factors `σ I − J`, `σ = re + i im`, and stores the factors in one of two places.
    ///
    /// # Errors
    /// A [`Refusal`] when it is singular.
    fn factor(&mut self, place: usize, re: f64, im: f64) -> Result<(), Refusal>;

    /// Solves `(σ I − J) x = r` in place; `im` is empty where `σ` and `r` are real.
    ///
    /// # Errors
    /// A [`Refusal`] when the place holds no factor.
    fn solve(&mut self, place: usize, re: &mut [f64], im: &mut [f64]) -> Result<(), Refusal>;
}

/// `M(q) v̇ = f(t, q, v, z) + Aᵀλ` under `φ(t, q) = 0`, `ψ(t, q, v) = 0`, with `y = (q, v, z)` and `q̇ = N(q) v`: q may
/// have more numbers than v.
///
/// The matrix of [`factor`](Self::factor) has entries of the size `mass · M ~ M / h²` beside those of `A`. Scaling its
/// rows and multipliers, for example with `λ / mass` as the unknown, is left to the implementor, who knows the magnitudes. The
/// method works with unscaled residuals and corrections only.
pub trait SecondOrder {
    /// Number of velocities v; q is the part of y before v and z.
    fn velocity_count(&self) -> usize;

    /// Number of first-order states z, at the end of y.
    fn state_count(&self) -> usize;

    /// Number of states at the end of z on which nothing else depends (integrals along the motion).
    fn passive_state_count(&self) -> usize {
        0
    }

    /// Number of multipliers λ.
    fn multiplier_count(&self) -> usize;

    /// `q̇ = N(q) v`.
    fn kinematics(&self, q: &[f64], v: &[f64], qdot: &mut [f64]);

    /// Transforms v and v̇ at q to the velocity u in which a step is formulated and its rate, for example to body axes. Then δ,
    /// r and the unknowns of [`factor`](Self::factor) refer to the same axes, and `u` changes by `c δ`, `u̇` by `m δ`.
    fn to_step_velocity(&self, q: &[f64], v: &[f64], vdot: &[f64], u: &mut [f64], udot: &mut [f64]) {
        let _ = q;
        u.copy_from_slice(v);
        udot.copy_from_slice(vdot);
    }

    /// The inverse of [`to_step_velocity`](Self::to_step_velocity).
    #[allow(clippy::wrong_self_convention, reason = "from and to are the two directions; both need the system")]
    fn from_step_velocity(&self, q: &[f64], u: &[f64], udot: &[f64], v: &mut [f64], vdot: &mut [f64]) {
        let _ = q;
        v.copy_from_slice(u);
        vdot.copy_from_slice(udot);
    }

    /// `q ← q ⊕ δ`, a finite displacement (δ has the size of v; world-axes rotation vectors for rotations, unless
    /// [`to_step_velocity`](Self::to_step_velocity) says otherwise).
    fn displace(&self, q: &mut [f64], delta: &[f64]);

    /// `r = M v̇ − f − Aᵀλ`; `g = φ` for rows at position level, `ψ` for rows at velocity level; `ż` without the states of
    /// [`passive_state_count`](Self::passive_state_count).
    ///
    /// # Errors
    /// A [`Refusal`] when there is no value at this state.
    fn residual(
        &mut self,
        t: f64,
        y: &[f64],
        vdot: &[f64],
        lambda: &[f64],
        r: &mut [f64],
        g: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), Refusal>;

    /// `ż` of the states of [`passive_state_count`](Self::passive_state_count), at the state of the last residual.
    fn passive_rates(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64], zdot: &mut [f64]) {
        let _ = (t, y, vdot, lambda, zdot);
    }

    /// Evaluates `M`, `C = ∂r/∂v`, `K = ∂r/∂δ` and `A` at this state and stores them.
    ///
    /// # Errors
    /// A [`Refusal`] when they do not exist.
    fn linearise(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64]) -> Result<(), Refusal>;

    /// Factors `[m M + c C + K, −Aᵀ; A or c A, 0]` for the unknowns δ and λ, where v̇ changes by `m δ` and v by `c δ` (`c A` for
    /// rows at velocity level).
    ///
    /// # Errors
    /// A [`Refusal`] when it is singular.
    fn factor(&mut self, mass: f64, damping: f64) -> Result<(), Refusal>;

    /// Solves with it: `(r, g) → (δ, Δλ)` in place.
    ///
    /// # Errors
    /// A [`Refusal`] when there is no factor.
    fn solve(&mut self, r: &mut [f64], g: &mut [f64]) -> Result<(), Refusal>;

    /// v̇, λ and ż at a consistent initial state, from the equations of motion.
    ///
    /// # Errors
    /// A [`Refusal`] when there are none.
    fn accelerations(
        &mut self,
        t: f64,
        y: &[f64],
        vdot: &mut [f64],
        lambda: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), Refusal>;

    /// The rate of the displacement δ that led to q, for a velocity v at q: `δ̇ = v + ½ [δ, v] + …`; v itself in vector
    /// spaces.
    fn displacement_rate(&self, q: &[f64], delta: &[f64], v: &[f64], rate: &mut [f64]) {
        let _ = (q, delta);
        rate.copy_from_slice(v);
    }
}
