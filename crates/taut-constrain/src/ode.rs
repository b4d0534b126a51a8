//! Constraints around a user's `ydot = f(t, y)`.

use crate::error::{ConstrainError, check_finite, check_size};
use crate::functions::ConstraintFunctions;
use crate::kernel_solve::ReactionRows;
use crate::metric::{Definiteness, Mass, Metric};
use crate::ode_options::{Inconsistent, OdeOptions, Projection, StageCorrection, StateMap};
use crate::quality::Quality;
use crate::solver::ConstraintSolver;
use crate::sparse_rows::SparseRows;

/// Writes M at (t, q) into the matrix given.
pub type MassFunction = Box<dyn FnMut(f64, &[f64], &mut Mass) -> Result<(), ConstrainError> + Send>;

/// Constraints for ODE code whose internals are unknown.
///
/// ```text
///  v ← v + W⁻¹ Aᵀ μ,   A v + φ_t = 0           in every evaluation      [Masarati2010] eq. (11a)
///  v̇ = a + M⁻¹ Aᵀ λ,   A v̇ = b,   a from f                              eq. (11b)
///  q ← q + W⁻¹ Aᵀ ν,   φ = 0,   then v again    after every step         eqs. (16), (17)
/// ```
///
/// Call [`rates`](ConstrainedOde::rates) in place of your own right-hand side and [`project`](ConstrainedOde::project)
/// after each step. Drivers that own the loop need nothing else; between two projections the velocities of every
/// evaluation are corrected anyway.
///
/// The mass matrix decides in which directions the constraints push: v̇ − a = M⁻¹ Aᵀ λ. If it is not known, use
/// [`Mass::Identity`]. The constraints then hold all the same, but the motion along them is that of a mechanism whose
/// masses are all equal, and λ are not forces.
///
/// ```
/// use taut_constrain::scalar::Scalar;
/// use taut_constrain::{ConstrainedOde, ConstraintFormulas, Differentiated, Mass, StateMap};
///
/// struct Rod;
/// impl ConstraintFormulas for Rod {
///     fn position_rows(&self) -> usize {
///         1
///     }
///     fn phi<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
///         phi[0] = (q[0] * q[0] + q[1] * q[1]).sqrt() - 1.0;
///     }
/// }
///
/// // Your code: a falling particle, y = (x, z, vx, vz).
/// let falling = |_t: f64, y: &[f64], ydot: &mut [f64]| ydot.copy_from_slice(&[y[2], y[3], 0.0, -9.81]);
///
/// let rod = Differentiated::new(Rod, 2)?;
/// let mut pendulum = ConstrainedOde::new(StateMap::positions_then_rates(2), rod, Mass::Identity(2))?;
/// let (mut y, mut ydot) = ([1.0, 0.0, 0.0, 0.0], [0.0; 4]);
/// for step in 0..100 {
///     // Any integrator; here Euler's method.
///     pendulum.rates(0.01 * step as f64, &y, &mut ydot, falling)?;
///     y.iter_mut().zip(&ydot).for_each(|(y, ydot)| *y += 0.01 * ydot);
///     pendulum.project(0.01 * (step + 1) as f64, &mut y)?;
///     assert!((y[0].hypot(y[1]) - 1.0).abs() < 1e-15);
/// }
/// # Ok::<(), taut_constrain::ConstrainError>(())
/// ```
pub struct ConstrainedOde<C> {
    map: StateMap,
    constraints: C,
    options: OdeOptions,
    mass: Metric,
    mass_function: Option<MassFunction>,
    weight: Option<(Metric, ConstraintSolver)>,
    solver: ConstraintSolver,
    rates_checked: bool,
    A: SparseRows,
    q: Vec<f64>,
    v: Vec<f64>,
    vdot: Vec<f64>,
    delta: Vec<f64>,
    y: Vec<f64>,
    residual: Vec<f64>,
    b: Vec<f64>,
    lambda: Vec<f64>,
    mu: Vec<f64>,
    nu: Vec<f64>,
    step: Vec<f64>,
}

impl<C> std::fmt::Debug for ConstrainedOde<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ConstrainedOde({} coordinates, {} rows)", self.map.n(), self.lambda.len())
    }
}

impl<C: ConstraintFunctions> ConstrainedOde<C> {
    /// With a constant mass matrix and W = M; W = I if M is singular or not symmetric.
    pub fn new(map: StateMap, constraints: C, mass: Mass) -> Result<ConstrainedOde<C>, ConstrainError> {
        ConstrainedOde::with_options(map, constraints, mass, OdeOptions::default())
    }

    /// With options.
    pub fn with_options(
        map: StateMap,
        constraints: C,
        mass: Mass,
        options: OdeOptions,
    ) -> Result<ConstrainedOde<C>, ConstrainError> {
        map.check()?;
        let n = map.n();
        check_size("the coordinates of the constraints", n, constraints.coordinates())?;
        if !(options.tolerance > 0.0) {
            return Err(ConstrainError::Option { what: "the tolerance of projections", value: options.tolerance });
        }
        let mut mass = Metric::new(mass)?;
        let definite = mass.factorise()? == Definiteness::Positive;
        let A = constraints.pattern();
        let m = constraints.position_rows() + constraints.velocity_rows();
        check_size("the rows of the pattern of A", m, A.rows())?;
        let mut solver = ConstraintSolver::new(&mass, &A, options.solver)?;
        if n * m <= 1_000_000 {
            solver.reserve(&mass, ReactionRows::Transposed);
        }
        let vector = |n: usize| vec![0.0; n];
        let mut new = ConstrainedOde {
            y: vector(map.states),
            q: vector(n),
            v: vector(n),
            vdot: vector(n),
            delta: vector(n),
            residual: vector(m),
            b: vector(m),
            lambda: vector(m),
            mu: vector(m),
            nu: vector(m),
            step: vector(m),
            map,
            constraints,
            options,
            mass,
            mass_function: None,
            weight: None,
            solver,
            rates_checked: false,
            A,
        };
        // A weight must be positive definite.
        if !definite {
            new.set_weight(Mass::Identity(n))?;
        }
        Ok(new)
    }

    /// A mass matrix that depends on t and q: called before every factorisation, with the matrix to fill.
    pub fn set_mass_function(&mut self, function: MassFunction) {
        self.mass_function = Some(function);
    }

    /// A weight W of the corrections other than M.
    pub fn set_weight(&mut self, weight: Mass) -> Result<(), ConstrainError> {
        let weight = Metric::new(weight)?;
        let mut solver = ConstraintSolver::new(&weight, &self.A, self.options.solver)?;
        if self.map.n() * self.A.rows() <= 1_000_000 {
            solver.reserve(&weight, ReactionRows::Transposed);
        }
        self.weight = Some((weight, solver));
        Ok(())
    }

    /// Multipliers of the last evaluation: Aᵀλ are the forces of the constraints.
    pub fn lambda(&self) -> &[f64] {
        &self.lambda
    }

    /// Multipliers of the last correction of velocities, δv = W⁻¹ Aᵀ μ (\[Masarati2010\] eq. (14a) has −μ).
    pub fn mu(&self) -> &[f64] {
        &self.mu
    }

    /// Multipliers of the last projection of positions, the sum over its iterations of δq = W⁻¹ Aᵀ ν (eq. (16)).
    pub fn nu(&self) -> &[f64] {
        &self.nu
    }

    /// The constraints.
    pub fn constraints(&self) -> &C {
        &self.constraints
    }

    fn load(&mut self, t: f64, y: &[f64]) -> Result<(), ConstrainError> {
        check_finite("t", &[t])?;
        check_size("y", self.map.states, y.len())?;
        check_finite("y", y)?;
        self.y.copy_from_slice(y);
        self.map.positions.iter().zip(&mut self.q).for_each(|(at, q)| *q = y[*at]);
        self.map.rates.iter().zip(&mut self.v).for_each(|(at, v)| *v = y[*at]);
        Ok(())
    }

    fn store(&mut self) {
        self.map.positions.iter().zip(&self.q).for_each(|(at, q)| self.y[*at] = *q);
        self.map.rates.iter().zip(&self.v).for_each(|(at, v)| self.y[*at] = *v);
    }

    fn update_mass(&mut self, t: f64) -> Result<(), ConstrainError> {
        match self.mass_function.as_mut() {
            Some(function) => function(t, &self.q, self.mass.mass_mut()),
            None => Ok(()),
        }
    }

    /// A at the present q and v; rows of ψ are zero if only positions are to be corrected.
    fn update_jacobian(&mut self, t: f64, only_positions: bool) -> Result<(), ConstrainError> {
        self.constraints.jacobian(t, &self.q, &self.v, &mut self.A)?;
        if only_positions {
            let from = self.A.offsets()[self.constraints.position_rows()];
            self.A.values_mut()[from..].fill(0.0);
        }
        Ok(())
    }

    /// Factor of A W⁻¹ Aᵀ and the correction of a residual into `delta`, multipliers into `step`.
    fn correct(&mut self) -> Result<Quality, ConstrainError> {
        let (weight, solver) = match self.weight.as_mut() {
            Some((weight, solver)) => (weight, solver),
            None => (&mut self.mass, &mut self.solver),
        };
        solver.factor(weight, &self.A)?;
        solver.correction(weight, &self.A, &self.residual, &mut self.delta, &mut self.step)
    }

    /// φ̇ and ψ are corrected to zero; returns the change and the quality.
    fn correct_velocities(&mut self, t: f64) -> Result<(f64, Quality), ConstrainError> {
        self.constraints.velocity(t, &self.q, &self.v, &self.A, &mut self.residual)?;
        check_finite("φ̇", &self.residual)?;
        let quality = self.correct()?;
        self.mu.copy_from_slice(&self.step);
        self.v.iter_mut().zip(&self.delta).for_each(|(v, d)| *v += d);
        if quality.residual > self.options.tolerance && self.options.inconsistent == Inconsistent::Stop {
            return Err(ConstrainError::Contradictory { row: quality.row, residual: quality.residual });
        }
        Ok((largest(&self.delta).1, quality))
    }

    /// Newton's method for φ = 0: iterations, residual, change.
    fn correct_positions(&mut self, t: f64) -> Result<(usize, f64, f64), ConstrainError> {
        self.nu.fill(0.0);
        let rows = self.constraints.position_rows();
        let (mut last, mut moved, mut change) = (f64::INFINITY, f64::INFINITY, 0.0_f64);
        for iteration in 0..=self.options.max_iterations {
            self.residual.fill(0.0);
            self.constraints.position(t, &self.q, &mut self.residual[..rows])?;
            check_finite("φ", &self.residual)?;
            let (row, size) = largest(&self.residual);
            // Round-off, or the least-squares solution of contradictory rows.
            let settled = moved <= 1e-13 * (1.0 + largest(&self.q).1) && size > 0.5 * last;
            if size <= 1e-16 || settled || (size > 0.5 * last && size <= 1e-14) {
                let stop = self.options.inconsistent == Inconsistent::Stop;
                return match size > self.options.tolerance && stop {
                    true => Err(ConstrainError::Contradictory { row, residual: size }),
                    false => Ok((iteration, size, change)),
                };
            }
            if iteration == self.options.max_iterations {
                if size <= self.options.tolerance {
                    return Ok((iteration, size, change));
                }
                return Err(ConstrainError::NotConverged { row, residual: size, iterations: iteration });
            }
            self.update_jacobian(t, true)?;
            self.correct()?;
            self.q.iter_mut().zip(&self.delta).for_each(|(q, d)| *q += d);
            self.nu.iter_mut().zip(&self.step).for_each(|(nu, step)| *nu += step);
            (last, moved) = (size, largest(&self.delta).1);
            change += moved;
        }
        Ok((0, 0.0, 0.0))
    }

    /// Moves positions and velocities of y onto the constraints. Call it after each accepted step, and once at the start.
    pub fn project(&mut self, t: f64, y: &mut [f64]) -> Result<Projection, ConstrainError> {
        self.load(t, y)?;
        self.update_mass(t)?;
        let (iterations, position_residual, position_change) = self.correct_positions(t)?;
        if position_change > 0.0 {
            self.update_mass(t)?;
        }
        self.update_jacobian(t, false)?;
        let (velocity_change, quality) = self.correct_velocities(t)?;
        self.store();
        y.copy_from_slice(&self.y);
        Ok(Projection {
            iterations,
            position_residual,
            velocity_residual: quality.residual,
            position_change,
            velocity_change,
            rank: quality.rank,
        })
    }

    /// The user's right-hand side with constraints: same arguments, same meaning.
    pub fn rates(
        &mut self,
        t: f64,
        y: &[f64],
        ydot: &mut [f64],
        mut f: impl FnMut(f64, &[f64], &mut [f64]),
    ) -> Result<Quality, ConstrainError> {
        self.try_rates(t, y, ydot, |t, y, ydot| {
            f(t, y, ydot);
            Ok(())
        })
    }

    /// The same for a function that can fail.
    pub fn try_rates(
        &mut self,
        t: f64,
        y: &[f64],
        ydot: &mut [f64],
        mut f: impl FnMut(f64, &[f64], &mut [f64]) -> Result<(), i32>,
    ) -> Result<Quality, ConstrainError> {
        check_size("ẏ", self.map.states, ydot.len())?;
        self.load(t, y)?;
        self.update_mass(t)?;
        if self.options.stage == StageCorrection::PositionAndVelocity {
            self.correct_positions(t)?;
            self.update_mass(t)?;
        }
        self.update_jacobian(t, false)?;
        if self.options.stage != StageCorrection::None {
            self.correct_velocities(t)?;
        }
        if self.options.stage == StageCorrection::None || self.weight.is_some() {
            self.solver.factor(&mut self.mass, &self.A)?;
        }
        self.store();
        f(t, &self.y, ydot).map_err(ConstrainError::Function)?;
        check_finite("ẏ", ydot)?;
        self.check_rates(ydot)?;
        self.map.rates.iter().zip(&mut self.vdot).for_each(|(at, a)| *a = ydot[*at]);
        self.constraints.acceleration(t, &self.q, &self.v, &self.A, &mut self.b)?;
        let quality = self.solver.constrain(&mut self.mass, &self.A, &self.b, &mut self.vdot, &mut self.lambda)?;
        self.map.rates.iter().zip(&self.vdot).for_each(|(at, a)| ydot[*at] = *a);
        Ok(quality)
    }

    /// Checks once that the entries mapped as rates equal q̇.
    fn check_rates(&mut self, ydot: &[f64]) -> Result<(), ConstrainError> {
        if !self.rates_checked {
            for ((position, rate), value) in self.map.positions.iter().zip(&self.map.rates).zip(&self.v) {
                let derivative = ydot[*position];
                if (derivative - value).abs() > 1e-6 * (1.0 + value.abs()) {
                    let (position, rate, value) = (*position, *rate, *value);
                    return Err(ConstrainError::NotARate { position, rate, derivative, value });
                }
            }
            self.rates_checked = true;
        }
        Ok(())
    }

    /// φ, and φ̇ with ψ, at a state: the largest absolute values.
    pub fn residuals(&mut self, t: f64, y: &[f64]) -> Result<(f64, f64), ConstrainError> {
        self.load(t, y)?;
        let rows = self.constraints.position_rows();
        self.residual.fill(0.0);
        self.constraints.position(t, &self.q, &mut self.residual[..rows])?;
        let position = largest(&self.residual).1;
        self.update_jacobian(t, false)?;
        self.constraints.velocity(t, &self.q, &self.v, &self.A, &mut self.residual)?;
        Ok((position, largest(&self.residual).1))
    }
}

/// Place and size of the largest entry; 0 if there is none.
fn largest(x: &[f64]) -> (usize, f64) {
    x.iter().enumerate().fold((0, 0.0), |(at, most), (i, x)| if x.abs() > most { (i, x.abs()) } else { (at, most) })
}
