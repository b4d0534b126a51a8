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

mod advance;
mod assumptions;
mod constancy;
mod deflate;
mod dense;
mod error;
mod frame;
mod grain;
mod inputs;
mod lowest;
mod modes;
mod outputs;
mod participation;
mod pencil;
mod pieces;
mod products;
mod rates;
mod repeated;
mod response;
mod rows;
mod shapes;
mod state_space;
mod steady;
mod track;
mod undamped;

pub use assumptions::Assumptions;
pub use constancy::STEADY;
pub use error::LinearError;
pub use frame::Turning;
pub use inputs::{Input, input_names};
pub use modes::{Kind, Mode, Modes, Request, modes};
pub use outputs::Output;
pub use participation::Share;
pub use shapes::Shape;
pub use state_space::{SecondOrder, StateSpace};
pub use steady::steady;
pub use track::{Branch, track};

use super::check_state;
use crate::dynamics::{Choice, Dynamics};
use crate::equations::{At, Equations, carry, place};
use crate::model::Model;
use crate::state::State;
use crate::tangent::{Closeness, Tangent};
use frame::Carried;
use nalgebra::DMatrix;
use rows::Use;

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
    pub tangent: Tangent,
    /// ∂φ̇/∂δ, laid out like A.
    pub P: Vec<f64>,
    /// The rotating frame, if any.
    pub turning: Option<Turning>,
    /// Assumptions about contacts, friction and controllers.
    pub assumptions: Assumptions,
    /// Distance of the state from an equilibrium or a steady motion: accelerations in the frame relative to the acting forces.
    /// Eigenvalues of an unsteady state are valid for the next instant only.
    pub unsteady: f64,
    /// S and Q of every body.
    carried: Vec<Carried>,
    /// R of the bodies that have one; K and G contain it.
    further: Vec<Option<DMatrix<f64>>>,
    /// How every row is used.
    rows: Vec<Use>,
    /// Whether an extra state takes part; turn counters and constant states do not.
    states: Vec<Alive>,
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
pub fn linearise<'m>(model: &'m Model, state: &State, turning: Option<Turning>) -> Result<Linearised<'m>, LinearError> {
    let lin = linearise_frozen(model, state, turning)?;
    lin.check_constant()?;
    Ok(lin)
}

/// The same about any state, with the coefficients of this instant; the eigenvalues are then valid for the next instant only.
///
/// # Errors
/// As [`linearise`], except that unsteady states are allowed.
pub fn linearise_frozen<'m>(
    model: &'m Model,
    state: &State,
    turning: Option<Turning>,
) -> Result<Linearised<'m>, LinearError> {
    check_state(model, state)?;
    let (state, assumptions) = assumptions::decided(model, state)?;
    let mut dynamics = Dynamics::at(model, &state, &Choice::default());
    dynamics.accelerate(state.t, &state.q, &state.v, &state.z)?;
    let (vdot, lambda) = (dynamics.vdot.clone(), dynamics.lambda.clone());
    Ok(Linearised { assumptions, ..about(model, &state, &vdot, &lambda, turning)? })
}

/// The same with known accelerations and multipliers.
///
/// # Errors
/// As [`linearise`].
pub fn about<'m>(
    model: &'m Model,
    state: &State,
    vdot: &[f64],
    lambda: &[f64],
    turning: Option<Turning>,
) -> Result<Linearised<'m>, LinearError> {
    // Rodrigues parameters relative to the present orientation: their rates are ω.
    let (mut state, mut vdot) = (state.clone(), vdot.to_vec());
    pieces::recentre(&model.bodies, &mut state, &mut vdot);
    let at = At::from(&state);
    let (mut scene, mut eq) = (crate::equations::Scene::new(model), Equations::new(model));
    place(model, at, &mut scene, &mut eq);
    carry(model, at, &mut scene, &mut eq);
    let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
    if !(finite(&eq.M) && finite(&eq.A) && finite(&eq.f) && finite(&vdot) && finite(lambda)) {
        return Err(LinearError::NotFinite);
    }
    let mut tangent = Tangent::new(model);
    tangent.take(model, at, &vdot, lambda, Closeness::Fine);
    let scales = grain::scales(model, &tangent);
    let P = rates::take(model, at, &scales);
    let (carried, further) = frame::carried(model, &state, &vdot, turning)?;
    frame::add_further(model, &eq, &further, &mut tangent);
    let rows = rows::uses(model, &eq, &scales);
    let states = alive(model, &tangent);
    let stiffness = grain::stiffest(model, &tangent, &scales);
    let unsteady = frame::unsteady(model, &state, &vdot, lambda, &eq, stiffness, turning, &carried);
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
        unsteady,
        carried,
        further,
        rows,
        states,
    })
}

/// Excludes turn counters, which only select the turn, states of constraints, which have no equation, and constant states.
fn alive(model: &Model, tangent: &Tangent) -> Vec<Alive> {
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
        let counters = f.kind.force().angles().len();
        changes[f.z.clone()].iter_mut().take(counters).for_each(|z| *z = Alive::No);
    }
    changes
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
