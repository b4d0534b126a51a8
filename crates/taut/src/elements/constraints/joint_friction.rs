//! Dry friction in a joint: its free rates are constrained, with a force bound proportional to the reaction of the joint.

use super::point_plane_contact::AXIS_SLIDES;
use super::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel,
    RowTerms,
};
use crate::error::ParameterError;
use crate::laws::{ConstraintLaw, Friction, FrictionBound, NormalForceSource};
use crate::measures::Axis;
use crate::motion::{Vec3, Wrench};
use serde::{Deserialize, Serialize};

/// The kind of joint, and the geometry of its sliding surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FrictionGeometry {
    /// A pin in a bearing.
    Revolute {
        /// Radius of the pin, m.
        radius: f64,
        /// Mean radius of the collar that carries axial forces, m; default: 0.
        #[serde(default)]
        axial_radius: f64,
        /// Distance of two bearings that carry tilting moments, m; default: tilting moments cause no friction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arm: Option<f64>,
    },
    /// A slider in a guide.
    Prismatic {
        /// The axis of A along which it slides; default: z. A slider in the plane slides along x.
        #[serde(default)]
        axis: Axis,
        /// Arm at which the guide carries moments, m; default: moments cause no friction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arm: Option<f64>,
    },
    /// A shaft that rotates and slides in a bush.
    Cylindrical {
        /// Radius of the shaft, m.
        radius: f64,
        /// Distance of two bearings that carry tilting moments, m; default: tilting moments cause no friction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arm: Option<f64>,
    },
    /// A foot on a plane.
    Planar,
    /// A ball in a socket.
    Spherical {
        /// Radius of the ball, m.
        radius: f64,
    },
}

/// A free rate of the joint, with friction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FreeRate {
    /// Along this axis of A.
    Along(usize),
    /// About this axis of A, times a radius.
    About(usize, f64),
}

/// Weights of N = radial |f⟂| + axial |f∥| + load |f| + tilting |m⟂| + whole |m|, and the weight of the preload.
#[derive(Clone, Copy, Debug, Default)]
struct NormalForceWeights {
    radial: f64,
    axial: f64,
    total_force: f64,
    tilting: f64,
    total_moment: f64,
    preload: f64,
}

/// Friction in a joint.
///
/// The joint exerts the force f and the moment m on its marker B; ∥ and ⟂ are parallel and perpendicular to z of A. The rows
/// are the rates that the joint leaves free, and |λ| ≤ μ (N + N₀):
///
/// ```text
///  revolute      z·(w_B − w_A)                  N = r |f⟂| + r |m⟂|/arm + r_a |f∥|      N m, r the radius of the pin
///  prismatic     z·(ḋ − w_A×d)                  N = |f⟂| + |m|/arm                      N, or another axis than z
///  cylindrical   both, the rotation times r     N = |f⟂| + |m⟂|/arm                     N, one disc for both
///  planar        along x and y                  N = |f∥|                                N, one disc for both
///  spherical     all of w_B − w_A               N = r |f|                               N m, one ball for the three
/// ```
///
/// N₀ is a preload: a press fit, a seal. The rotation times r is the surface speed, so that a cylindrical joint that slides
/// axially also slips easily about its axis, like a cork. The moment in a ball joint opposes its angular velocity.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A block on a horizontal guide with μ = 0.2 slows down with μ g.
/// let mut spec = Spec::new();
/// spec.gravity([0.0, -9.81, 0.0])
///     .body("block", PlanarBody::new(2.0, 0.1).moving([3.0, 0.0], 0.0))
///     .constraint("guide", Joint::slider("ground", "block"))
///     .constraint("rubs", JointFriction::slider("guide", "ground", "block", Friction::same(0.2)));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(0.5))?;
/// assert!((run.last("block.vx")? - (3.0 - 0.2 * 9.81 * 0.5)).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointFriction {
    /// Name of the joint whose reaction is the normal force.
    pub joint: String,
    /// Its marker A, which carries the axes.
    pub a: String,
    /// Its marker B.
    pub b: String,
    /// The kind of joint and its geometry.
    pub rubbing: FrictionGeometry,
    /// Coefficients of friction.
    pub friction: Friction,
    /// Normal force without any load, N.
    #[serde(default)]
    pub preload: f64,
}

impl JointFriction {
    /// Friction in the joint of that name between the markers `a` and `b`.
    pub fn new(joint: &str, a: &str, b: &str, rubbing: FrictionGeometry, friction: Friction) -> JointFriction {
        JointFriction { joint: joint.to_string(), a: a.to_string(), b: b.to_string(), rubbing, friction, preload: 0.0 }
    }

    /// A revolute joint, or a pin in the plane, with a pin of this radius.
    pub fn revolute(joint: &str, a: &str, b: &str, radius: f64, friction: Friction) -> JointFriction {
        let rubbing = FrictionGeometry::Revolute { radius, axial_radius: 0.0, arm: None };
        JointFriction::new(joint, a, b, rubbing, friction)
    }

    /// A prismatic joint whose moments cause no friction.
    pub fn prismatic(joint: &str, a: &str, b: &str, friction: Friction) -> JointFriction {
        JointFriction::new(joint, a, b, FrictionGeometry::Prismatic { axis: Axis::Z, arm: None }, friction)
    }

    /// A spherical joint with a ball of this radius.
    pub fn spherical(joint: &str, a: &str, b: &str, radius: f64, friction: Friction) -> JointFriction {
        JointFriction::new(joint, a, b, FrictionGeometry::Spherical { radius }, friction)
    }

    /// In the plane: a slider or a slot, along x of A.
    pub fn slider(joint: &str, a: &str, b: &str, friction: Friction) -> JointFriction {
        JointFriction::new(joint, a, b, FrictionGeometry::Prismatic { axis: Axis::X, arm: None }, friction)
    }

    /// The same with a preload, N.
    pub fn preload(mut self, preload: f64) -> JointFriction {
        self.preload = preload;
        self
    }

    fn free_rates(&self) -> impl Iterator<Item = FreeRate> {
        let rates = match self.rubbing {
            FrictionGeometry::Revolute { .. } => [Some(FreeRate::About(2, 1.0)), None, None],
            FrictionGeometry::Prismatic { axis, .. } => [Some(FreeRate::Along(axis.index())), None, None],
            FrictionGeometry::Cylindrical { radius, .. } => {
                [Some(FreeRate::Along(2)), Some(FreeRate::About(2, radius)), None]
            }
            FrictionGeometry::Planar => [Some(FreeRate::Along(0)), Some(FreeRate::Along(1)), None],
            FrictionGeometry::Spherical { .. } => [0, 1, 2].map(|i| Some(FreeRate::About(i, 1.0))),
        };
        rates.into_iter().flatten()
    }

    fn normal_force_weights(&self) -> NormalForceWeights {
        let per = |arm: Option<f64>| arm.map_or(0.0, |arm| 1.0 / arm);
        match self.rubbing {
            FrictionGeometry::Revolute { radius, axial_radius, arm } => NormalForceWeights {
                radial: radius,
                axial: axial_radius,
                tilting: radius * per(arm),
                preload: radius,
                ..NormalForceWeights::default()
            },
            FrictionGeometry::Prismatic { arm, .. } => NormalForceWeights {
                radial: 1.0,
                total_moment: per(arm),
                preload: 1.0,
                ..NormalForceWeights::default()
            },
            FrictionGeometry::Cylindrical { arm, .. } => {
                NormalForceWeights { radial: 1.0, tilting: per(arm), preload: 1.0, ..NormalForceWeights::default() }
            }
            FrictionGeometry::Planar => {
                NormalForceWeights { axial: 1.0, preload: 1.0, ..NormalForceWeights::default() }
            }
            FrictionGeometry::Spherical { radius } => {
                NormalForceWeights { total_force: radius, preload: radius, ..NormalForceWeights::default() }
            }
        }
    }
}

/// |x| and its direction; the direction of zero is zero.
fn norm_and_direction(x: Vec3) -> (f64, Vec3) {
    let n = x.norm();
    (n, if n > 0.0 { x / n } else { Vec3::zeros() })
}

impl Constraint for JointFriction {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.a), MarkerReference::frame(&self.b)]
    }

    fn rows(&self) -> Vec<RowInfo> {
        let row = |rate| match rate {
            FreeRate::Along(i) if self.rubbing == FrictionGeometry::Planar => {
                RowInfo { name: ["slip_x", "slip_y"][i % 2], level: RowLevel::Velocity, unit: "m" }
            }
            FreeRate::Along(_) => RowInfo { name: "slip", level: RowLevel::Velocity, unit: "m" },
            FreeRate::About(..) if matches!(self.rubbing, FrictionGeometry::Revolute { .. }) => {
                RowInfo { name: "turn", level: RowLevel::Velocity, unit: "rad" }
            }
            FreeRate::About(i, _) if matches!(self.rubbing, FrictionGeometry::Spherical { .. }) => {
                RowInfo { name: ["turn_x", "turn_y", "turn_z"][i % 3], level: RowLevel::Velocity, unit: "rad" }
            }
            FreeRate::About(..) => RowInfo { name: "turn", level: RowLevel::Velocity, unit: "m" },
        };
        self.free_rates().map(row).collect()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.friction.check()?;
        ParameterError::check_finite("preload", &[self.preload])?;
        let mut lengths = vec![("preload", self.preload)];
        let mut arms = Vec::new();
        match self.rubbing {
            FrictionGeometry::Revolute { radius, axial_radius, arm } => {
                ParameterError::check_positive("radius", radius)?;
                lengths.push(("axial_radius", axial_radius));
                arms.extend(arm);
            }
            FrictionGeometry::Cylindrical { radius, arm } => {
                ParameterError::check_positive("radius", radius)?;
                arms.extend(arm);
            }
            FrictionGeometry::Prismatic { arm, .. } => arms.extend(arm),
            FrictionGeometry::Planar => {}
            FrictionGeometry::Spherical { radius } => ParameterError::check_positive("radius", radius)?,
        }
        arms.into_iter().try_for_each(|arm| ParameterError::check_positive("bearing_distance", arm))?;
        for (field, x) in lengths {
            ParameterError::check_finite(field, &[x])?;
            if x < 0.0 {
                return Err(ParameterError::invalid(field, format!("it is {x}; it must not be negative")));
            }
        }
        Ok(())
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        for (r, rate) in self.free_rates().enumerate() {
            let D = match rate {
                FreeRate::Along(i) => AXIS_SLIDES[i].position_terms(at).D,
                FreeRate::About(i, radius) => {
                    let e = at[0].axis(i) * radius;
                    [Wrench::moment(-e), Wrench::moment(e)]
                }
            };
            rows.D[2 * r..2 * r + 2].copy_from_slice(&D);
            rows.phi_t[r] = 0.0;
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (A, B) = (&at[0], &at[1]);
        for (r, rate) in self.free_rates().enumerate() {
            rows.c[r] = match rate {
                FreeRate::Along(i) => AXIS_SLIDES[i].convective_term(at),
                FreeRate::About(i, radius) => radius * A.w.cross(&A.axis(i)).dot(&(B.w - A.w)),
            };
        }
    }

    fn law(&self) -> ConstraintLaw {
        ConstraintLaw::Frictional
    }
    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for JointFriction {}
impl NonSmooth for JointFriction {}

impl FrictionLaw for JointFriction {
    fn friction_bound(&self, _at: &ElementInput) -> FrictionBound {
        let N = self.normal_force_weights().preload * self.preload;
        let bounds = |mu: f64| [-mu * N, mu * N];
        FrictionBound {
            sticking: bounds(self.friction.stick),
            slipping: bounds(self.friction.slip),
            friction: self.friction,
        }
    }
    fn normal_force_source(&self) -> NormalForceSource<'_> {
        NormalForceSource::Reaction(&self.joint)
    }
    fn normal_force(&self, at: &ElementInput, reaction: &Wrench) -> (f64, Wrench) {
        let axis = match self.rubbing {
            FrictionGeometry::Prismatic { axis, .. } => axis,
            _ => Axis::Z,
        };
        let (k, z) = (self.normal_force_weights(), at[0].axis(axis.index()));
        let (f_z, m_z) = (z.dot(&reaction.f), z.dot(&reaction.m));
        let (radial, across) = norm_and_direction(reaction.f - z * f_z);
        let (axial, along) = norm_and_direction(z * f_z);
        let (tilting, tilt) = norm_and_direction(reaction.m - z * m_z);
        let (whole, about) = norm_and_direction(reaction.m);
        let (load, against) = norm_and_direction(reaction.f);
        let N =
            k.radial * radial + k.axial * axial + k.total_force * load + k.tilting * tilting + k.total_moment * whole;
        let f = across * k.radial + along * k.axial + against * k.total_force;
        let gradient = Wrench { f, m: tilt * k.tilting + about * k.total_moment };
        (N, gradient)
    }
}

#[cfg(test)]
mod tests;
