//! Induced velocity of a disc, positive against its z axis.

mod annular;
mod laws;
mod pitt_peters;

pub(super) use annular::Annulus;
pub use annular::TipLoss;
pub use laws::LinearInflow;
pub(super) use pitt_peters::DiscLoads;
pub(super) use {annular::induced_velocity as annular_velocity, pitt_peters::rates as pitt_peters_rates};

use super::Field;
use super::disc::{DiscFrame, DiscStream};
use super::momentum::{Stream, mass_flow_speed};
use crate::error::ParameterError;
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};

/// How the induced velocity follows from the loads; the tag is the `type` of the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Inflow {
    /// None.
    None,
    /// Given.
    Prescribed {
        /// m/s: a number, or a formula of `r` (radius by that of the disc), `psi` (azimuth from downwind), `t` and the model.
        inflow: Field,
    },
    /// Uniform over the disc, by momentum theory \[Glauert1935\].
    Uniform {
        /// Time constant of a lag, s; default: none, the equation holds at every instant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time_constant: Option<f64>,
    },
    /// Linear over the disc, about a mean by momentum theory.
    Linear {
        /// The gradient.
        law: LinearInflow,
    },
    /// Three states \[PittPeters1981\].
    PittPeters {
        /// Mean, sine and cosine parts at the start, m/s; default: the mean of momentum theory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        initial: Option<[f64; 3]>,
    },
    /// Each annulus on its own, by momentum theory.
    Annular {
        /// Loss of lift at the tip.
        #[serde(default)]
        tip_loss: TipLoss,
    },
}

impl Inflow {
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        match self {
            Inflow::Prescribed { inflow: Field::Constant(v) } => ParameterError::check_finite("inflow", &[*v]),
            Inflow::Uniform { time_constant: Some(tau) } => ParameterError::check_positive("time_constant", *tau),
            Inflow::PittPeters { initial: Some(v) } => ParameterError::check_finite("initial", v),
            _ => Ok(()),
        }
    }

    /// Number of states.
    pub(super) fn state_count(&self) -> usize {
        match self {
            Inflow::Uniform { time_constant: Some(_) } => 1,
            Inflow::PittPeters { .. } => 3,
            _ => 0,
        }
    }
}

/// v = mean + (x/R) downstream + (y/R) sideways, x and y in the axes of the disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LinearField<S> {
    pub mean: S,
    pub along_x: S,
    pub along_y: S,
}

impl<S: Scalar> LinearField<S> {
    /// The same everywhere.
    pub fn uniform(mean: S) -> LinearField<S> {
        LinearField { mean, along_x: S::from(0.0), along_y: S::from(0.0) }
    }

    /// About a mean, with the gradient of a law.
    pub fn of_law(law: LinearInflow, mean: S, stream: &DiscStream<S>) -> LinearField<S> {
        let [kx, ky] = law.gradient(stream.in_plane(), mean + stream.through, stream.tip_speed);
        // From the axes of the stream to those of the disc.
        let (x, y) = (stream.along_x, stream.along_y);
        LinearField { mean, along_x: mean * (kx * x - ky * y), along_y: mean * (kx * y + ky * x) }
    }

    /// The velocity at a point; x and y by the radius.
    pub fn at(&self, x: f64, y: f64) -> S {
        self.mean + self.along_x * x + self.along_y * y
    }
}

/// Rate of the mean of a uniform inflow with a time constant: (T/(k √(…)) − v)/τ.
pub(super) fn lagged_mean_rate<S: Scalar>(stream: &DiscStream<S>, factor: f64, tau: f64, mean: S, thrust: S) -> S {
    let flow = mass_flow_speed(stream.in_plane_squared(), stream.through + mean) * factor;
    // Before the air moves the momentum equation has no division: v² 2ρA = T.
    let target = match flow.value() > 0.0 {
        true => thrust / flow,
        false => (thrust.abs() / factor).sqrt() * thrust.value().signum(),
    };
    (target - mean) / tau
}

impl DiscFrame {
    /// The stream through the whole disc.
    pub fn stream(&self) -> Stream {
        let area = std::f64::consts::PI * self.radius * self.radius;
        Stream { in_plane: self.in_plane, through: self.through, factor: 2.0 * self.density * area }
    }
}
