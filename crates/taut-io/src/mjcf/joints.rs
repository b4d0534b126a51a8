//! Joints of bodies.

use super::MjcfReader;
use super::bodies::{BodyElement, BodyPlacement};
use crate::diagnostic::Diagnostic;
use crate::robot::xml::Element;
use crate::robot::{Articulation, Freedom, direction};
use taut::motion::Vec3;

impl MjcfReader<'_> {
    /// A joint of the body `body`, whose parent is given.
    pub fn joint(
        &mut self,
        standing: &BodyPlacement,
        body: &str,
        parent: Option<usize>,
        found: &mut BodyElement,
    ) -> Result<Articulation, Diagnostic> {
        let free = standing.element.name == "freejoint";
        let joint = match free {
            true => Element { children: Vec::new(), ..standing.element.clone() },
            false => self.defaults.apply(standing.element, standing.class)?,
        };
        let given = joint.get("name").map_or_else(|| format!("{body}_joint"), str::to_string);
        let name = self.joint_names.assign(&given, &mut self.ledger);
        if joint.has("name") && found.joints.insert(given.clone(), name.clone()).is_some() {
            return Err(joint.error(format!("there are two joints named `{given}`")));
        }
        let at = standing.frame.point(&Vec3::from(joint.numbers::<3>("pos")?.unwrap_or([0.0; 3])));
        let axis = joint.numbers::<3>("axis")?.unwrap_or([0.0, 0.0, 1.0]);
        let axis = || match direction(axis) {
            Some(axis) => Ok(standing.frame.R * axis),
            None => Err(joint.error(format!("the axis of joint `{given}` is zero"))),
        };
        let freedom = match if free { "free" } else { joint.get("type").unwrap_or("hinge") } {
            "hinge" => Freedom::Hinge { axis: axis()?, at },
            "slide" => Freedom::Slide { axis: axis()? },
            "ball" => Freedom::Ball { at },
            "free" if parent.is_some() => {
                return Err(joint.error(format!("the free joint `{given}` belongs to a body inside another body")));
            }
            "free" => Freedom::Free,
            other => {
                let what = format!("joint `{given}` has the unknown type `{other}`");
                return Err(joint.error(what).help("the known types are hinge, slide, ball and free"));
            }
        };
        // Angles of hinges are in degrees where the compiler says so; slides are in metres always.
        let unit = if matches!(freedom, Freedom::Hinge { .. }) { self.compiler.angle } else { 1.0 };
        let single = freedom.velocities() == 1;
        let angle = |n: &str| Ok::<f64, Diagnostic>(if single { joint.number_or_zero(n)? * unit } else { 0.0 });
        let (reference, rest) = (angle("ref")?, angle("springref")?);
        let stiffness = self.leading(&joint, "stiffness", &name)?;
        let damping = self.leading(&joint, "damping", &name)?;
        let armature = joint.number_or_zero("armature")?;
        if armature < 0.0 {
            return Err(joint.error(format!("the armature of joint `{given}` is negative")));
        }
        self.list_joint(&joint, &name)?;
        let limits = self.limits(&joint, &given, single, unit)?;
        let place = Some(standing.element.place.clone());
        let base = Articulation::new(name, freedom);
        Ok(Articulation { reference, stiffness, rest, damping, armature, limits, place, ..base })
    }

    /// The range of a hinge or slide, if it is limited.
    fn limits(&mut self, joint: &Element, name: &str, single: bool, unit: f64) -> Result<Option<[f64; 2]>, Diagnostic> {
        let limited = match joint.get("limited") {
            Some("false") => false,
            Some("true") => true,
            _ => self.compiler.autolimits,
        };
        let Some(range) = joint.numbers::<2>("range")?.filter(|_| limited) else { return Ok(None) };
        if !single {
            self.ledger.not_imported_kind("limits of ball joints", name, Some(&joint.place));
            return Ok(None);
        }
        match range.map(|x| x * unit) {
            [lower, upper] if lower < upper => Ok(Some([lower, upper])),
            [lower, upper] => {
                let what = format!("the range of joint `{name}` is empty: its limits are {lower} and {upper}");
                Err(joint.error(what).help("give the lower limit first, or limited=\"false\""))
            }
        }
    }

    /// A coefficient; newer files may add those of higher powers.
    fn leading(&mut self, joint: &Element, attribute: &str, name: &str) -> Result<f64, Diagnostic> {
        let list = joint.list(attribute)?.unwrap_or_default();
        if list.iter().skip(1).any(|k| *k != 0.0) {
            self.ledger.not_imported_kind(
                &format!("higher powers in the {attribute} of joints"),
                name,
                Some(&joint.place),
            );
        }
        Ok(list.first().copied().unwrap_or(0.0))
    }

    /// Attributes of joints that are not imported.
    fn list_joint(&mut self, joint: &Element, name: &str) -> Result<(), Diagnostic> {
        let place = Some(&joint.place);
        if joint.number_or_zero("frictionloss")? != 0.0 {
            self.ledger.not_imported_kind("frictionloss (dry friction) of joints", name, place);
        }
        if joint.has("actuatorfrcrange") {
            self.ledger.not_imported_kind("actuatorfrcrange of joints", name, place);
        }
        if joint.list("springdamper")?.is_some_and(|l| l.iter().any(|x| *x != 0.0)) {
            self.ledger.not_imported_kind("springdamper of joints", name, place);
        }
        Ok(())
    }
}
