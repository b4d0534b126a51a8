//! The law of Hunt and Crossley.

use crate::error::ParameterError;
use crate::laws::Friction;
use serde::{Deserialize, Serialize};

/// Parameters of a compliant contact.
///
/// ```text
///  N = K δᵖ (1 + d δ̇)  ≥ 0            δ = −gap, the depth of each point of contact
///  F_t = −μ(|u|) N u/|u|               μ rises up to the transition speed, then falls from static to kinetic
/// ```
///
/// \[HuntCrossley1975\]: the damping grows with the depth, so that the force has no jump when the surfaces touch; for small
/// speeds e ≈ 1 − ⅔ d v. Friction that is a function of the slip velocity cannot stick: a body that should stick creeps at a
/// fraction of the transition speed. A rigid contact does stick.
///
/// During a run the pair is open, without force, until an event locates the closing of its gap. No step therefore contains the
/// onset of the force.
///
/// If contact points appear and disappear under load, as at the edges of two boxes, the sum of K δᵖ⁺¹/(p + 1) jumps: the
/// force has no potential. Such a pair keeps an energy ledger E, Ė = Σ K δᵖ δ̇, and never returns more energy than it received:
/// when E reaches zero, the force is zero until the surfaces approach again; E is then the energy of the depths. Energy left
/// when the pair opens is lost.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A ball on a soft floor sinks in until K δᵖ = m g.
/// let law = HuntCrossley::new(1e5).exponent(1.5);
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("ball", RigidBody::new(1.0, [1e-3; 3]).at([0.0, 0.0, 0.0985]))
///     .surface("skin", Surface::new("ball", Shape::Sphere { radius: 0.1 }))
///     .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
///     .contact("touch", ContactRule::pair("skin", "floor", law));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(0.1))?;
/// assert!((run.last("energy.balance")?).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HuntCrossley {
    /// K of each point of contact, N/mᵖ.
    pub stiffness: f64,
    /// p: 1.5 for round surfaces after Hertz, 1 for flat ones.
    #[serde(default = "hertz")]
    pub exponent: f64,
    /// d, s/m.
    #[serde(default)]
    pub dissipation: f64,
    /// Coulomb's coefficients.
    #[serde(default = "frictionless")]
    pub friction: Friction,
    /// Slip velocity at which friction reaches its static value, m/s.
    #[serde(rename = "transition_velocity", default = "transition")]
    pub transition_velocity: f64,
}

fn hertz() -> f64 {
    1.5
}

fn frictionless() -> Friction {
    Friction::NONE
}

fn transition() -> f64 {
    1e-3
}

impl HuntCrossley {
    /// Elastic, after Hertz, without friction.
    pub fn new(stiffness: f64) -> HuntCrossley {
        HuntCrossley {
            stiffness,
            exponent: hertz(),
            dissipation: 0.0,
            friction: Friction::NONE,
            transition_velocity: transition(),
        }
    }

    /// The same with a dissipation, s/m.
    pub fn dissipation(mut self, d: f64) -> HuntCrossley {
        self.dissipation = d;
        self
    }

    /// The same with another exponent.
    pub fn exponent(mut self, p: f64) -> HuntCrossley {
        self.exponent = p;
        self
    }

    /// The same with friction.
    pub fn friction(mut self, friction: Friction) -> HuntCrossley {
        self.friction = friction;
        self
    }

    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_positive("stiffness", self.stiffness)?;
        ParameterError::check_positive("transition_velocity", self.transition_velocity)?;
        ParameterError::check_finite("exponent", &[self.exponent])?;
        ParameterError::check_finite("dissipation", &[self.dissipation])?;
        if self.exponent < 1.0 {
            let what =
                format!("it is {}; it must be at least 1: 1.5 for round surfaces, 1 for flat ones", self.exponent);
            return Err(ParameterError::invalid("exponent", what));
        }
        if self.dissipation < 0.0 {
            return Err(ParameterError::invalid(
                "dissipation",
                format!("it is {} s/m; it must not be negative", self.dissipation),
            ));
        }
        self.friction.check()
    }

    /// Energy stored at a depth.
    pub(super) fn stored_energy(&self, depth: f64) -> f64 {
        self.stiffness * depth.powf(self.exponent + 1.0) / (self.exponent + 1.0)
    }

    /// Elastic and total normal force at a depth and its rate.
    pub(super) fn normal_forces(&self, depth: f64, rate: f64) -> (f64, f64) {
        let elastic = self.stiffness * depth.powf(self.exponent);
        (elastic, (elastic * (1.0 + self.dissipation * rate)).max(0.0))
    }

    /// μ at a slip velocity: smooth, static at the transition speed, kinetic far above it.
    pub(super) fn friction_coefficient(&self, speed: f64) -> f64 {
        let s = speed / self.transition_velocity;
        let Friction { stick, slip } = self.friction;
        let rise = if s < 1.0 { s * (2.0 - s) } else { 1.0 };
        let fall = if s < 1.0 { 0.0 } else { 1.0 - (-(s - 1.0).powi(2) / 4.0).exp() };
        rise * (stick - (stick - slip) * fall)
    }
}
