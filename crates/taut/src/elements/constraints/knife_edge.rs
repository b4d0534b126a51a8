//! A blade that slides along its edge but not sideways: skate, keel, ploughshare, narrow wheel.

use super::{
    Constraint, ElementInput, ExtraStates, FrictionLaw, MarkerReference, NonSmooth, RowInfo, RowLevel, RowTerms,
};
use crate::error::ParameterError;
use crate::motion::{Vec3, Wrench};
use serde::{Deserialize, Serialize};

/// A blade at the frame `b`, heading along its x axis, that does not slip along its y axis over `a`.
///
/// Something else must keep the blade on its ground (a planar body, a joint).
///
/// With y the axis of B across the blade and d = p_B − p_A, the point of the blade moves over A without a
/// component along y:
///
/// ```text
///  ψ = y·(v_B − v_A − w_A×d) = 0          D_B = (y, 0)   D_A = (−y, y×d)
/// ```
///
/// The simplest nonholonomic constraint: \[NeimarkFufaev1972\], the Chaplygin sleigh.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A skate runs along its blade; its mass centre is on the blade, so that speed and turning rate are constant.
/// let mut spec = Spec::new();
/// spec.body("skate", PlanarBody::new(1.0, 0.1).moving([2.0, 0.0], 1.0))
///     .constraint("blade", KnifeEdge::new("ground", "skate"));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
/// assert!((run.last("skate.x")? - 2.0 * 1.0_f64.sin()).abs() < 1e-6); // a circle of radius v/ω
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnifeEdge {
    /// Frame of the ground under the blade: `ground`, or a moving body.
    pub a: String,
    /// Frame on the blade: the contact point, x along the edge, y across it.
    pub b: String,
}

impl KnifeEdge {
    /// The blade `b` on the ground `a`.
    pub fn new(a: &str, b: &str) -> KnifeEdge {
        KnifeEdge { a: a.to_string(), b: b.to_string() }
    }
}

/// d, and the velocity of the contact point relative to A.
#[inline(always)]
fn relative_motion(at: &ElementInput) -> (Vec3, Vec3) {
    let (A, B) = (&at[0], &at[1]);
    let d = B.p - A.p;
    (d, B.v - A.v - A.w.cross(&d))
}

impl Constraint for KnifeEdge {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.a), MarkerReference::frame(&self.b)]
    }

    fn rows(&self) -> Vec<RowInfo> {
        vec![RowInfo { name: "slip", level: RowLevel::Velocity, unit: "m" }]
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.a.is_empty() || self.b.is_empty() {
            return Err(ParameterError::invalid("markers", "name the ground `a` and the blade `b`"));
        }
        Ok(())
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let y = at[1].axis(1);
        let (d, _) = relative_motion(at);
        rows.D[0] = Wrench { f: -y, m: y.cross(&d) };
        rows.D[1] = Wrench::force(y);
        rows.phi_t[0] = 0.0;
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (A, B) = (&at[0], &at[1]);
        let y = B.axis(1);
        let (_, slip) = relative_motion(at);
        // The axis y rotates with B, the contact point on the ground with A.
        rows.c[0] = B.w.cross(&y).dot(&slip) - y.dot(&A.w.cross(&(B.v - A.v)));
    }
}

impl ExtraStates for KnifeEdge {}
impl NonSmooth for KnifeEdge {}
impl FrictionLaw for KnifeEdge {}

#[cfg(test)]
mod tests {
    use super::super::conformance::{Rig, evaluate, smooth_frame};
    use super::*;
    use crate::motion::Motion;

    #[test]
    fn rates_follow_the_motion() {
        Rig::new(vec![smooth_frame(1), smooth_frame(2)]).check_identities(&KnifeEdge::new("a", "b"));
    }

    #[test]
    fn along_the_edge_it_is_free_and_across_it_is_held() {
        let mut blade = Motion::REST;
        blade.v = Vec3::x();
        assert_eq!(evaluate(&KnifeEdge::new("a", "b"), &[Motion::REST, blade]).rates[0], 0.0);
        blade.v = Vec3::y() * 2.0;
        assert_eq!(evaluate(&KnifeEdge::new("a", "b"), &[Motion::REST, blade]).rates[0], 2.0);
    }

    #[test]
    fn a_blade_carried_by_a_turntable_does_not_slip_on_it() {
        let w = Vec3::new(0.0, 0.0, 3.0);
        let p = Vec3::new(2.0, 1.0, 0.0);
        let table = Motion { w, ..Motion::REST };
        let blade = Motion { p, w, v: w.cross(&p), ..Motion::REST };
        assert_eq!(evaluate(&KnifeEdge::new("a", "b"), &[table, blade]).rates[0], 0.0);
    }

    #[test]
    fn it_reads_from_a_model_file() {
        let blade: KnifeEdge = serde_json::from_str(r#"{"a": "ground", "b": "sleigh.blade"}"#).unwrap();
        assert_eq!(blade, KnifeEdge::new("ground", "sleigh.blade"));
        assert!(serde_json::from_str::<KnifeEdge>(r#"{"a": "ground", "b": "x", "radius": 1}"#).is_err());
        assert!(KnifeEdge::default().check().is_err());
    }
}
