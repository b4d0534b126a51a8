//! Equilibrium: f(q) + Aᵀλ = 0 with φ(q) = 0, at rest.
//!
//! Newton's method with the stiffness K = −∂(f + Aᵀλ)/∂q by central differences, λ held: springs, and what tension
//! does to the directions of forces. Two ways, from the same start:
//!
//! ```text
//!  exact     [K −Aᵀ; A 0] (δ, Δλ) = (f + Aᵀλ, −φ)          along A δ = −φ and the null space of A
//!  penalty   (K + μ AᵀA) δ = f − μ Aᵀφ                     [Newhart2019] eqs. (61)–(67)
//! ```
//!
//! In (64) and (67) the factor C stands twice; once is meant. The default μ is that of (63), 10⁴ times the largest
//! |∂f/∂q| at the start. Dependent rows are met in the exact way by the least multipliers. What is found is the
//! equilibrium near the start, whether it is stable or not.

use super::assembly::{Assembly, assemble};
use super::kinematic::count_turns;
use super::{AnalysisError, check_state, positive};
use crate::constraints::Level;
use crate::equations::{Equations, Scene, carry, place};
use crate::model::Model;
use crate::state::{Mode, State};
use nalgebra::{DMatrix, DVector};
use thiserror::Error;

/// Step of the differences, m or rad, relative to 1 + the size of the coordinates.
const DIFFERENCE: f64 = 1e-5;
/// A stiffness smaller than this, relative to the largest, is none.
const NONE: f64 = 1e-10;
/// Singular values of A that count as zero, relative to the largest.
const DEPENDENT: f64 = 1e-10;
/// Halvings of a step that leads away.
const HALVINGS: usize = 12;
/// Factor of [Newhart2019] eq. (63).
const STIFF: f64 = 1e4;

/// Settings of the search for an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statics {
    /// μ of the penalty; 10⁴ times the largest stiffness if left out.
    pub penalty: Option<f64>,
    /// Forces that are left over, relative to the largest at the start, and |φ|, relative to the size of the coordinates.
    pub tolerance: f64,
    /// Most iterations of each way.
    pub iterations: usize,
}

impl Default for Statics {
    fn default() -> Statics {
        Statics { penalty: None, tolerance: 1e-12, iterations: 50 }
    }
}

/// The two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Constraints met exactly.
    Exact,
    /// Constraints as stiff springs.
    Penalty,
}

/// Why there is no equilibrium to be told.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StaticsError {
    /// Settings or a state that make no sense, constraints that cannot be met.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// Something can move without any force.
    #[error(
        "the stiffness is singular: nothing holds a motion of `{motion}` and what moves with it; add a spring or a \
         constraint"
    )]
    Singular {
        /// The velocity that takes the largest part in the motion, `body.velocity`.
        motion: String,
    },
    /// The iteration did not come to rest.
    #[error(
        "no equilibrium found after {iterations} iterations ({way:?}): `{at}` is left with {residual:.2e}; start nearer"
    )]
    NoConvergence {
        /// Which way.
        way: Way,
        /// Iterations made.
        iterations: usize,
        /// The velocity with the largest force left over, or the row with the largest residual.
        at: String,
        /// Its size, relative to what the tolerance is measured by.
        residual: f64,
    },
}

/// A pose of equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The state, at rest.
    pub state: State,
    /// q minus the q given, coordinate by coordinate.
    pub displacement: Vec<f64>,
    /// Multipliers; −μ φ with the penalty.
    pub lambda: Vec<f64>,
    /// Iterations it took.
    pub iterations: usize,
}

/// Both answers, and how far they are apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// With the constraints met.
    pub exact: Equilibrium,
    /// With the constraints as springs of stiffness μ.
    pub penalty: Equilibrium,
    /// μ.
    pub mu: f64,
    /// Largest difference of the displacements, relative to the largest displacement.
    pub error: f64,
}

/// The equilibrium near a state, exactly.
///
/// # Errors
/// [`StaticsError`]: a free motion, or no convergence.
pub fn statics(model: &Model, state: &State, settings: &Statics) -> Result<Equilibrium, StaticsError> {
    let (start, mut balance) = begin(model, state, settings)?;
    balance.find(Way::Exact, 0.0, &start, state, settings)
}

/// The equilibrium near a state by both ways, exact and by penalty.
///
/// # Errors
/// As [`statics`].
pub fn statics_compared(model: &Model, state: &State, settings: &Statics) -> Result<Comparison, StaticsError> {
    let (start, mut balance) = begin(model, state, settings)?;
    let exact = balance.find(Way::Exact, 0.0, &start, state, settings)?;
    balance.place(&start);
    let nothing = DVector::zeros(balance.rows.len());
    let mu = settings.penalty.unwrap_or_else(|| STIFF * balance.stiffness(&start, &nothing).amax());
    let penalty = balance.find(Way::Penalty, mu, &start, state, settings)?;
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let apart: Vec<f64> = exact.displacement.iter().zip(&penalty.displacement).map(|(a, b)| a - b).collect();
    let size = largest(&exact.displacement);
    let error = if size > 0.0 { largest(&apart) / size } else { largest(&apart) };
    Ok(Comparison { exact, penalty, mu, error })
}

/// The assembled start, at rest, and room for the forces.
fn begin<'m>(model: &'m Model, state: &State, s: &Statics) -> Result<(State, Balance<'m>), StaticsError> {
    check_state(model, state)?;
    positive("tolerance", s.tolerance)?;
    if let Some(mu) = s.penalty {
        positive("penalty", mu)?;
    }
    let mut start = assemble(model, state, &Assembly::default())?.state;
    start.v.fill(0.0);
    let active = |r: &usize| {
        let c = model.constraints.partition_point(|c| c.rows.end <= *r);
        state.modes[c] != Mode::Idle
    };
    let rows = (0..model.rows.len()).filter(active).collect();
    let mut balance = Balance { model, scene: Scene::new(model), eq: Equations::new(model), rows, force: 0.0 };
    balance.place(&start);
    balance.force = 1.0_f64.max(balance.eq.f.iter().fold(0.0, |a, f| a.max(f.abs())));
    Ok((start, balance))
}

/// Forces and constraints at rest.
struct Balance<'m> {
    model: &'m Model,
    scene: Scene,
    eq: Equations,
    /// Rows that are active.
    rows: Vec<usize>,
    /// Size of a force.
    force: f64,
}

impl Balance<'_> {
    fn place(&mut self, state: &State) {
        place(self.model, state.into(), &mut self.scene, &mut self.eq);
        carry(self.model, state.into(), &mut self.scene, &mut self.eq);
    }

    fn jacobian(&self) -> DMatrix<f64> {
        self.eq.dense_jacobian().select_rows(&self.rows)
    }

    /// What the multipliers exert, which is A unless the equations live in another space than v.
    fn reactions(&self) -> DMatrix<f64> {
        self.eq.dense_reactions().select_rows(&self.rows)
    }

    /// φ of rows that are held at position level; the others allow no displacement along them.
    fn phi(&self) -> DVector<f64> {
        let phi = |r: &usize| if self.model.holds(*r, Level::Position) { self.eq.phi[*r] } else { 0.0 };
        DVector::from_iterator(self.rows.len(), self.rows.iter().map(phi))
    }

    /// f + Aᵀλ.
    fn left(&self, lambda: &DVector<f64>) -> DVector<f64> {
        DVector::from_column_slice(&self.eq.f) + self.reactions().tr_mul(lambda)
    }

    fn moved(&self, state: &State, delta: &[f64]) -> State {
        let mut moved = state.clone();
        for b in &self.model.bodies {
            b.kind.body().displace(&mut moved.q[b.q.clone()], &delta[b.v.clone()]);
        }
        count_turns(self.model, &mut moved);
        moved
    }

    /// K = −∂(f + Aᵀλ)/∂q column by column; placed at `state` on return.
    fn stiffness(&mut self, state: &State, lambda: &DVector<f64>) -> DMatrix<f64> {
        let n = self.model.sizes.v;
        let h = DIFFERENCE * (1.0 + state.q.iter().fold(0.0_f64, |a, q| a.max(q.abs())));
        let mut K = DMatrix::zeros(n, n);
        let mut delta = vec![0.0; n];
        for k in 0..n {
            let mut at = |step: f64| {
                delta[k] = step;
                let moved = self.moved(state, &delta);
                delta[k] = 0.0;
                self.place(&moved);
                self.left(lambda)
            };
            let slope = (at(-h) - at(h)) / (2.0 * h);
            K.set_column(k, &slope);
        }
        self.place(state);
        K
    }

    /// λ of least norm that leaves least of f.
    fn multipliers(&self) -> DVector<f64> {
        let f = DVector::from_column_slice(&self.eq.f);
        solve(&self.reactions().transpose(), &-f)
    }

    /// What is left: of the forces, of the constraints; both relative.
    fn residuals(&self, way: Way, mu: f64, lambda: &DVector<f64>, size: f64) -> (DVector<f64>, DVector<f64>) {
        match way {
            Way::Exact => (self.left(lambda) / self.force, self.phi() / size),
            Way::Penalty => (self.left(&(self.phi() * -mu)) / self.force, DVector::zeros(self.rows.len())),
        }
    }

    fn find(
        &mut self,
        way: Way,
        mu: f64,
        start: &State,
        given: &State,
        settings: &Statics,
    ) -> Result<Equilibrium, StaticsError> {
        let mut state = start.clone();
        self.place(&state);
        let size = 1.0 + state.q.iter().fold(0.0_f64, |a, q| a.max(q.abs()));
        let mut iterations = 0;
        loop {
            let mut lambda = if way == Way::Exact { self.multipliers() } else { self.phi() * -mu };
            let (forces, phi) = self.residuals(way, mu, &lambda, size);
            let K = self.stiffness(&state, &lambda);
            let A = self.jacobian();
            let delta = match way {
                Way::Exact => self.exact_step(&K, &A)?,
                Way::Penalty => {
                    let K = &K + self.reactions().tr_mul(&A) * mu;
                    self.regular(&K, None)?;
                    solve(&K, &(&forces * self.force))
                }
            };
            let before = forces.amax().max(phi.amax());
            // Springs, those of the penalty too, show the round-off of the coordinates.
            let noise = 4.0 * f64::EPSILON * (K.amax() + mu) * size / self.force;
            if before <= settings.tolerance.max(noise) {
                let mut all = vec![0.0; self.model.rows.len()];
                self.rows.iter().zip(&lambda).for_each(|(r, l)| all[*r] = *l);
                let displacement = state.q.iter().zip(&given.q).map(|(a, b)| a - b).collect();
                return Ok(Equilibrium { state, displacement, lambda: all, iterations });
            }
            if iterations == settings.iterations || !before.is_finite() {
                return Err(self.stuck(way, iterations, &forces, &phi));
            }
            iterations += 1;
            let mut share = 1.0;
            for halving in 0..=HALVINGS {
                let trial = self.moved(&state, (&delta * share).as_slice());
                self.place(&trial);
                lambda = if way == Way::Exact { self.multipliers() } else { lambda };
                let (forces, phi) = self.residuals(way, mu, &lambda, size);
                if forces.amax().max(phi.amax()) < before || halving == HALVINGS {
                    state = trial;
                    break;
                }
                share *= 0.5;
            }
        }
    }

    /// δ along A δ = −φ with least norm, and in the null space of A by the stiffness there.
    fn exact_step(&self, K: &DMatrix<f64>, A: &DMatrix<f64>) -> Result<DVector<f64>, StaticsError> {
        let across = solve(A, &-self.phi());
        let (Z, test) = (null_space(A), null_space(&self.reactions()));
        let reduced = test.tr_mul(&(K * &Z));
        self.regular(&reduced, Some((&Z, K.amax())))?;
        let f = DVector::from_column_slice(&self.eq.f);
        let along = solve(&reduced, &test.tr_mul(&(f - K * &across)));
        Ok(across + Z * along)
    }

    /// Refuses a stiffness that leaves a motion free; `within` gives the directions it is written in, and its scale.
    fn regular(&self, K: &DMatrix<f64>, within: Option<(&DMatrix<f64>, f64)>) -> Result<(), StaticsError> {
        if K.is_empty() {
            return Ok(());
        }
        let svd = K.clone().svd(false, true);
        let scale = within.map_or(svd.singular_values.max(), |(_, scale)| scale);
        let (least, value) = svd.singular_values.argmin();
        // With the penalty the constraints are part of the scale.
        let none = if within.is_some() { NONE } else { NONE / STIFF };
        match svd.v_t.filter(|_| value <= none * scale) {
            None => Ok(()),
            Some(v) => {
                let own = v.row(least).transpose();
                let motion = within.map_or(own.clone(), |(Z, _)| Z * &own);
                Err(StaticsError::Singular { motion: self.model.state_names().1[motion.iamax()].name.clone() })
            }
        }
    }

    fn stuck(&self, way: Way, iterations: usize, forces: &DVector<f64>, phi: &DVector<f64>) -> StaticsError {
        let of_rows = !phi.is_empty() && phi.amax() > forces.amax();
        let (at, residual) = match of_rows {
            true => (self.model.row_name(self.rows[phi.iamax()]), phi.amax()),
            false => (self.model.state_names().1[forces.iamax()].name.clone(), forces.amax()),
        };
        StaticsError::NoConvergence { way, iterations, at, residual }
    }
}

/// x of least norm with least |M x − y|.
fn solve(M: &DMatrix<f64>, y: &DVector<f64>) -> DVector<f64> {
    if M.is_empty() {
        return DVector::zeros(M.ncols());
    }
    let svd = M.clone().svd(true, true);
    let limit = DEPENDENT * svd.singular_values.max();
    svd.solve(y, limit).unwrap_or_else(|_| DVector::zeros(M.ncols()))
}

/// Orthonormal columns that span the null space of A.
fn null_space(A: &DMatrix<f64>) -> DMatrix<f64> {
    let n = A.ncols();
    if A.is_empty() {
        return DMatrix::identity(n, n);
    }
    // Rows of zeros make A square, so that the decomposition gives all n directions.
    let mut square = DMatrix::zeros(n.max(A.nrows()), n);
    square.rows_mut(0, A.nrows()).copy_from(A);
    let svd = square.svd(false, true);
    let limit = DEPENDENT * svd.singular_values.max();
    let free: Vec<usize> = (0..n).filter(|&i| svd.singular_values[i] <= limit).collect();
    svd.v_t.map_or_else(|| DMatrix::zeros(n, 0), |v| v.select_rows(&free).transpose())
}
