//! What a system may give beyond its right-hand side, for implicit methods.

use crate::Refusal;

/// Linear systems with `J = ∂F/∂y`, for a system that has better than differences and a dense factor.
///
/// What `derive` and `factor` took is kept in the system itself: one stepper at a time may work on it. A stepper that
/// is told of a discontinuity ([`jump`](crate::Stepper::jump)) or restored takes everything anew.
pub trait Linear {
    /// Takes `J` at `(t, y)` and keeps it until the next call.
    ///
    /// # Errors
    /// A [`Refusal`] when there is no derivative at `(t, y)`.
    fn derive(&mut self, t: f64, y: &[f64]) -> Result<(), Refusal>;

    /// Factors `σ I − J`, `σ = re + i im`, into one of two places.
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
/// rows and multipliers (by `mass`, say, such that `λ / mass` is the unknown) is the implementor's, who knows the sizes;
/// the method sees unscaled residuals and corrections only.
pub trait SecondOrder {
    /// Size of v; q is what y has before v and z.
    fn velocities(&self) -> usize;

    /// Size of z, first-order states at the end of y.
    fn states(&self) -> usize;

    /// How many states at the end of z only follow: nothing else depends on them.
    fn followers(&self) -> usize {
        0
    }

    /// Number of multipliers λ.
    fn multipliers(&self) -> usize;

    /// `q̇ = N(q) v`.
    fn kinematics(&self, q: &[f64], v: &[f64], qdot: &mut [f64]);

    /// The velocity u that a step is written in, and its rate, from v and v̇ at q: those in axes that move along, say. Then δ,
    /// r and the unknowns of [`factor`](Self::factor) are written in the same axes, and `u` changes by `c δ`, `u̇` by `m δ`.
    fn own(&self, q: &[f64], v: &[f64], vdot: &[f64], u: &mut [f64], udot: &mut [f64]) {
        let _ = q;
        u.copy_from_slice(v);
        udot.copy_from_slice(vdot);
    }

    /// The way back from u and u̇.
    fn seen(&self, q: &[f64], u: &[f64], udot: &[f64], v: &mut [f64], vdot: &mut [f64]) {
        let _ = q;
        v.copy_from_slice(u);
        vdot.copy_from_slice(udot);
    }

    /// `q ← q ⊕ δ`, a finite displacement (δ has the size of v; world-axes rotation vectors for rotations, unless
    /// [`own`](Self::own) says otherwise).
    fn displace(&self, q: &mut [f64], delta: &[f64]);

    /// `r = M v̇ − f − Aᵀλ`; `g = φ` of rows held at position level, `ψ` of those at velocity level; `ż` but for what only
    /// follows.
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

    /// `ż` of what only follows, at the state of the last residual.
    fn follow(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64], zdot: &mut [f64]) {
        let _ = (t, y, vdot, lambda, zdot);
    }

    /// Takes `M`, `C = ∂r/∂v`, `K = ∂r/∂δ`, `A` at this state and keeps them.
    ///
    /// # Errors
    /// A [`Refusal`] when there are none.
    fn derive(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64]) -> Result<(), Refusal>;

    /// Factors `[m M + c C + K, −Aᵀ; A or c A, 0]`: unknowns δ and λ, where v̇ changes by `m δ` and v by `c δ` (rows at
    /// velocity level see `c A`).
    ///
    /// # Errors
    /// A [`Refusal`] when it is singular.
    fn factor(&mut self, mass: f64, damping: f64) -> Result<(), Refusal>;

    /// Solves with it: `(r, g) → (δ, Δλ)` in place.
    ///
    /// # Errors
    /// A [`Refusal`] when there is no factor.
    fn solve(&mut self, r: &mut [f64], g: &mut [f64]) -> Result<(), Refusal>;

    /// v̇, λ and ż at a consistent state (from the equations themselves), for the start.
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

    /// Turns the displacement δ that led to q and a velocity v there into the rate of δ that v means:
    /// `δ̇ = v + ½ [δ, v] + …`; the velocity itself in vector spaces.
    fn unroll(&self, q: &[f64], delta: &[f64], v: &[f64], rate: &mut [f64]) {
        let _ = (q, delta);
        rate.copy_from_slice(v);
    }
}
