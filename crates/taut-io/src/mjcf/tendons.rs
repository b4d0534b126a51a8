//! `<tendon>`: fixed tendons are sums of joint coordinates, spatial ones lines between sites.

use super::MjcfReader;
use crate::diagnostic::Diagnostic;
use crate::robot::xml::Element;
use crate::robot::{FramePlacement, SpecWriter};
use taut::Measure;
use taut::forces::Spring;
use taut::motion::Vec3;
use taut::signals::ForceLaw;

/// A tendon.
#[derive(Clone, Debug)]
pub(super) enum Tendon {
    /// Σ kᵢ qᵢ of joints (names of the file).
    Fixed(Vec<(f64, String)>),
    /// A straight line between two sites (names of the file).
    Straight([String; 2]),
    /// Over pulleys, around geoms, or through more sites.
    Other,
}

impl MjcfReader<'_> {
    /// Reads all tendons, to which other elements refer.
    pub fn read_tendons(&mut self, root: &Element) -> Result<(), Diagnostic> {
        for e in root.all("tendon").flat_map(|s| &s.children) {
            let name = e.get("name").unwrap_or("");
            let tendon = match e.name.as_str() {
                "fixed" => {
                    let mut joints = Vec::new();
                    for j in e.all("joint") {
                        let k = j.number("coef")?.ok_or_else(|| j.error("a joint of a tendon needs a `coef`"))?;
                        joints.push((k, j.require("joint")?.to_string()));
                    }
                    Tendon::Fixed(joints)
                }
                "spatial" => match &e.children[..] {
                    [a, b] if a.name == "site" && b.name == "site" => {
                        Tendon::Straight([a.require("site")?.to_string(), b.require("site")?.to_string()])
                    }
                    _ => Tendon::Other,
                },
                other => return Err(e.error(format!("`{other}` is not a known kind of tendon"))),
            };
            self.tendons.insert(name.to_string(), tendon);
        }
        Ok(())
    }

    /// Springs and dampers of all tendons.
    pub fn tendon_forces(&mut self, root: &Element, writer: &mut SpecWriter) -> Result<(), Diagnostic> {
        for e in root.all("tendon").flat_map(|s| &s.children) {
            let mut full = self.defaults.apply(e, None)?;
            full.children.clone_from(&e.children);
            self.tendon(&full, writer)?;
        }
        Ok(())
    }

    fn tendon(&mut self, e: &Element, writer: &mut SpecWriter) -> Result<(), Diagnostic> {
        let name = e.get("name").unwrap_or(&e.name).to_string();
        let place = Some(e.place.clone());
        let first = |n: &str| Ok::<f64, Diagnostic>(e.list(n)?.unwrap_or_default().first().copied().unwrap_or(0.0));
        let (stiffness, damping) = (first("stiffness")?, first("damping")?);
        if e.has("range") && e.get("limited") != Some("false") {
            self.ledger.not_imported_kind("limits of tendons", &name, place.as_ref());
        }
        for other in ["frictionloss", "armature"] {
            if e.number_or_zero(other)? != 0.0 {
                self.ledger.not_imported_kind(&format!("{other} of tendons"), &name, place.as_ref());
            }
        }
        if stiffness == 0.0 && damping == 0.0 {
            return Ok(());
        }
        let rest = e.list("springlength")?.filter(|l| l.first().is_some_and(|x| *x >= 0.0));
        let (measure, scale, natural) = match self.tendons.get(e.get("name").unwrap_or("")).cloned() {
            Some(Tendon::Straight([a, b])) => {
                let (p, q) = (self.at_rest(&self.site_seat(&a, e)?), self.at_rest(&self.site_seat(&b, e)?));
                (Some(self.site_distance(&a, &b, e)?), 1.0, (p - q).norm())
            }
            Some(Tendon::Fixed(joints)) => match &joints[..] {
                [(k, joint)] if *k != 0.0 => {
                    let joint = self.joint_name(joint, e)?;
                    let at_rest = self.references.get(joint).map_or(0.0, |r| r.1);
                    (writer.coordinates.get(joint).cloned(), *k, k * at_rest)
                }
                _ => (None, 1.0, 0.0),
            },
            _ => (None, 1.0, 0.0),
        };
        let Some(measure) = measure else {
            let what =
                "stiffness and damping: only a tendon of one joint, or straight between two sites, is carried over";
            self.ledger.not_imported(format!("tendon `{name}`"), what, place.as_ref());
            return Ok(());
        };
        let length = match rest.as_deref() {
            None => natural,
            Some([l]) => *l,
            Some([l, h]) if l == h => *l,
            Some(_) => {
                self.ledger.not_imported(format!("tendon `{name}`"), "a spring with a slack range", place.as_ref());
                return Ok(());
            }
        };
        let law = ForceLaw::linear(stiffness * scale * scale, damping * scale * scale, length / scale);
        let force = writer.force_name(&super::plain(&name));
        writer.spec.force(&force, Spring::new(measure, law));
        Ok(())
    }

    /// The distance of two sites.
    pub fn site_distance(&self, a: &str, b: &str, e: &Element) -> Result<Measure, Diagnostic> {
        let marker = |site: &str| -> Result<String, Diagnostic> {
            self.site_seat(site, e)?;
            self.site_markers.get(site).cloned().ok_or_else(|| e.error(format!("there is no marker for site `{site}`")))
        };
        Ok(Measure::distance(&marker(a)?, &marker(b)?))
    }

    /// The world pose of a placement with all joint springs at their free values.
    fn at_rest(&self, seat: &FramePlacement) -> Vec3 {
        seat.link.map_or(seat.pose.p, |i| self.motions_at_rest[i].pose.point(&seat.pose.p))
    }
}
