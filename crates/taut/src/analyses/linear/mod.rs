//! Small motions about a state: linearised equations, modes, frequency response.
//!
//! Tangent coordinates are displacements ξ (as [`Body::displace`](crate::bodies::Body::displace) takes them), changes of velocity dv, and the
//! extra states z. With K, C, G, H of the [`tangent`](crate::tangent) and P = ∂φ̇/∂δ,
//!
//! ```text
//!  ξ' = dv + S ξ                                        S = W − Q
//!  M (dv' + Q dv) + C dv + K ξ + (∂r/∂z) z − Bᵀ dλ = 0
//!  A ξ = 0                                              rows held at position level
//!  A dv + P ξ = 0                                       rows held at velocity level
//!  A (dv' + Q dv) + H dv + G ξ = 0                      rows held at acceleration level
//! ```
//!
//! W = ω× on the rotational part of bodies whose velocities contain ω, because the motion convects a rotation ξ. Q = Ω× transforms to
//! a frame that rotates with Ω, in which the coefficients of a steady rotation are constant; otherwise Q = 0. The motions that the
//! constraints allow form a subspace. At an equilibrium or in a steady motion it is invariant, and the modes are those of the equations
//! restricted to it, without spurious zero eigenvalues from constraints.

mod assumptions;
mod deflation;
mod error;
mod free_motion_test;
mod inputs;
pub(super) mod local_axes;
mod mode_tracking;
mod modes;
mod operating_point;
mod outputs;
mod participation;
mod pencil;
mod products;
pub(super) mod reduced_system;
mod repeated_modes;
mod response;
pub(super) mod rotating_frame;
mod rows;
mod shapes;
mod sparse_modes;
pub(super) mod state_difference;
mod state_space;
mod steady;
mod steady_motion;
pub(super) mod tangent_flow;
mod time_invariance;
mod undamped;
pub(super) mod velocity_blocks;

pub use assumptions::Assumptions;
pub use error::LinearError;
pub use inputs::{LinearInput, input_names};
pub use mode_tracking::{EXTRA_TRACKED_MODES, ModeBranch, slowest_branches, track_modes};
pub use modes::{Eigenmode, ModeKind, ModeRequest, ModeSet, modes};
pub use operating_point::{LinearisedAt, OperatingPoint, OperatingPointError, VaryingCoefficients};
pub use outputs::LinearOutput;
pub use participation::EnergyShare;
pub use rotating_frame::RotatingFrame;
pub use shapes::MarkerShape;
pub use state_space::{SecondOrder, StateSpace};
pub use steady::steady_state;
pub use time_invariance::STEADINESS_TOLERANCE;

use super::{check_state, refuse_reaction_forces};
use crate::dynamics::{Dynamics, SolverSettings};
use crate::equations::{Equations, StateView, assemble_positions, assemble_rates};
use crate::model::Model;
use crate::state::State;
use crate::tangent::{DifferenceAccuracy, TangentMatrices};
use nalgebra::DMatrix;
use rotating_frame::{BodyFrame, FrameTerms};
use rows::RowUse;

/// The equations of small motions about one state.
#[derive(Clone, Debug)]
pub struct Linearised<'m> {
    /// The model.
    pub model: &'m Model,
    /// The state.
    pub state: State,
    /// Its accelerations.
    pub vdot: Vec<f64>,
    /// Its multipliers.
    pub lambda: Vec<f64>,
    /// M, A, B of the state.
    pub eq: Equations,
    /// K, C, G, H and the derivatives for extra states.
    pub tangent: TangentMatrices,
    /// ∂φ̇/∂δ, laid out like A.
    pub P: Vec<f64>,
    /// The rotating frame, if any.
    pub turning: Option<RotatingFrame>,
    /// Assumptions about contacts, friction and controllers.
    pub assumptions: Assumptions,
    /// Distance of the state from an equilibrium or a steady motion: accelerations in the frame relative to the acting forces.
    /// Eigenvalues of an unsteady state are valid for the next instant only.
    pub unsteadiness: f64,
    /// The axes of every body.
    body_frames: Vec<BodyFrame>,
    /// S and Q of every body.
    frame_terms: Vec<FrameTerms>,
    /// R of the bodies that have one; K and G contain it.
    second_order_terms: Vec<Option<DMatrix<f64>>>,
    /// How every row is used.
    row_uses: Vec<RowUse>,
    /// Whether an extra state takes part; turn counters and constant states do not.
    active_states: Vec<Alive>,
}

/// Whether an extra state takes part in small motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alive {
    /// It does.
    Yes,
    /// It is a turn counter or constant.
    No,
}

/// Linearises the equations about an equilibrium or a steady motion. If `turning` is given, they are described in this rotating
/// frame, in which their coefficients are constant.
///
/// # Errors
/// If the state has the wrong size or is not steady, coefficients vary, friction slips or is too weak, or a body cannot be described in
/// a rotating frame.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, -9.81, 0.0])
///     .body("bob", PointMass::new(1.0, [0.0, -2.0, 0.0]))
///     .constraint("rod", Relation::rod("ground", "bob", 2.0));
/// let model = spec.build()?;
/// let small = linearise(&model, &model.initial_state(), None)?;
/// let found = modes(&small, ModeRequest::All)?;
/// assert_eq!(found.modes.len(), 2); // it swings in two directions
/// assert!((found.modes[0].omega() - (9.81_f64 / 2.0).sqrt()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn linearise<'m>(
    model: &'m Model,
    state: &State,
    turning: Option<RotatingFrame>,
) -> Result<Linearised<'m>, LinearError> {
    let lin = linearise_frozen(model, state, turning)?;
    let varying = match lin.check_time_invariance() {
        Err(e @ LinearError::TimeVarying { .. }) => e,
        other => return other.map(|()| lin),
    };
    // Parts at rest beside the axis may have constant coefficients in their own axes.
    let Some(fixed) = lin.with_fixed_parts()? else { return Err(varying) };
    fixed.check_time_invariance().map_err(|_| varying)?;
    Ok(fixed)
}

/// The same about any state, with the coefficients of this instant; the eigenvalues are then valid for the next instant only.
///
/// # Errors
/// As [`linearise`], except that unsteady states are allowed.
pub fn linearise_frozen<'m>(
    model: &'m Model,
    state: &State,
    turning: Option<RotatingFrame>,
) -> Result<Linearised<'m>, LinearError> {
    check_state(model, state)?;
    refuse_reaction_forces(model, "the analysis of small motions")?;
    let (state, assumptions) = assumptions::resolve_modes(model, state)?;
    let mut dynamics = Dynamics::at(model, &state, &SolverSettings::default());
    if let Some(found) = dynamics.undetermined_motion() {
        return Err(LinearError::Massless(found.clone()));
    }
    dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z)?;
    let (vdot, lambda) = (dynamics.vdot.clone(), dynamics.lambda.clone());
    Ok(Linearised { assumptions, ..linearise_at(model, &state, &vdot, &lambda, turning)? })
}

/// The same with known accelerations and multipliers.
///
/// # Errors
/// As [`linearise`].
pub fn linearise_at<'m>(
    model: &'m Model,
    state: &State,
    vdot: &[f64],
    lambda: &[f64],
    turning: Option<RotatingFrame>,
) -> Result<Linearised<'m>, LinearError> {
    linearise_in(model, state, (vdot, lambda), turning, vec![BodyFrame::Rotating; model.bodies.len()])
}

/// The same with the axes of every body.
fn linearise_in<'m>(
    model: &'m Model,
    state: &State,
    (vdot, lambda): (&[f64], &[f64]),
    turning: Option<RotatingFrame>,
    frames: Vec<BodyFrame>,
) -> Result<Linearised<'m>, LinearError> {
    // Rodrigues parameters relative to the present orientation: their rates are ω.
    let (mut state, mut vdot) = (state.clone(), vdot.to_vec());
    velocity_blocks::recentre_rodrigues(&model.bodies, &mut state, &mut vdot);
    let at = StateView::from(&state);
    let (mut scene, mut eq) = (crate::equations::MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, at, &mut scene, &mut eq);
    assemble_rates(model, at, &mut scene, &mut eq);
    let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
    if !(finite(&eq.M) && finite(&eq.A) && finite(&eq.f) && finite(&vdot) && finite(lambda)) {
        return Err(LinearError::NotFinite);
    }
    let mut tangent = TangentMatrices::new(model);
    tangent.evaluate(model, at, &vdot, lambda, DifferenceAccuracy::SixthOrder);
    let scales = free_motion_test::scales(model, &tangent);
    let P = tangent.P.clone();
    let (carried, further) = rotating_frame::frame_terms(model, &state, turning, &frames)?;
    rotating_frame::add_second_order_terms(model, &eq, &further, &mut tangent);
    let rows = rows::row_uses(model, &eq, &scales);
    let states = active_states(model, &tangent);
    let stiffness = free_motion_test::max_scaled_stiffness(model, &tangent, &scales);
    let unsteady = rotating_frame::unsteadiness(model, &state, &vdot, lambda, &eq, stiffness, turning, &carried);
    let lambda = lambda.to_vec();
    let assumptions = Assumptions::default();
    Ok(Linearised {
        model,
        state,
        vdot,
        lambda,
        eq,
        tangent,
        P,
        turning,
        assumptions,
        unsteadiness: unsteady,
        body_frames: frames,
        frame_terms: carried,
        second_order_terms: further,
        row_uses: rows,
        active_states: states,
    })
}

/// Excludes turn counters, which only select the turn, states of constraints, which have no equation, and constant states.
fn active_states(model: &Model, tangent: &TangentMatrices) -> Vec<Alive> {
    let mut changes = vec![Alive::No; model.sizes.z];
    let pattern = &tangent.pattern;
    for (at, value) in pattern.z_by_v.iter().zip(&tangent.z_by_delta).chain(pattern.z_by_v.iter().zip(&tangent.z_by_v))
    {
        if *value != 0.0 {
            changes[at.0] = Alive::Yes;
        }
    }
    for (at, value) in pattern.z_by_z.iter().zip(&tangent.z_by_z) {
        if *value != 0.0 {
            changes[at.0] = Alive::Yes;
        }
    }
    for f in &model.forces {
        let counters = f.kind.force().angle_markers().len();
        changes[f.z.clone()].iter_mut().take(counters).for_each(|z| *z = Alive::No);
    }
    changes
}

impl<'m> Linearised<'m> {
    /// The same with all parts that are at rest beside the axis in world axes; `None` if there are none.
    fn with_fixed_parts(&self) -> Result<Option<Linearised<'m>>, LinearError> {
        let Some(turning) = self.turning else { return Ok(None) };
        let omega = turning.omega()?;
        let frame = |b: &crate::model::BodyEntry| {
            let p = rotating_frame::frame_motion(b, &self.state).p - crate::motion::Vec3::from(turning.through);
            let beside = omega.cross(&p).norm() > 1e-9 * omega.norm() * p.norm();
            match beside && rotating_frame::at_rest(b, &self.state) {
                true => BodyFrame::Fixed,
                false => BodyFrame::Rotating,
            }
        };
        let frames: Vec<BodyFrame> = self.model.bodies.iter().map(frame).collect();
        if !frames.contains(&BodyFrame::Fixed) {
            return Ok(None);
        }
        let assumptions = self.assumptions.clone();
        let found = linearise_in(self.model, &self.state, (&self.vdot, &self.lambda), self.turning, frames)?;
        Ok(Some(Linearised { assumptions, ..found }))
    }
}

impl Linearised<'_> {
    /// Number of velocities.
    fn n(&self) -> usize {
        self.model.sizes.v
    }

    /// B, or A if both are equal, laid out like A.
    fn reactions(&self) -> &[f64] {
        if self.eq.B.is_empty() { &self.eq.A } else { &self.eq.B }
    }
}
