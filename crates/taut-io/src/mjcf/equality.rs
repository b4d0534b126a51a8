//! `<equality>`: loops and couplings. They are soft in MuJoCo and exact here.

use super::MjcfReader;
use super::tendons::Tendon;
use crate::diagnostic::Diagnostic;
use crate::robot::xml::Element;
use crate::robot::{FramePlacement, Pose, SpecWriter, rotation_of_quaternion};
use taut::motion::Vec3;
use taut::{Joint, Measure, Prescription, Relation, Signal};

/// A side of a linear coupling: Σ kᵢ sᵢ, and its value in the pose of the file.
struct EqualitySide {
    terms: Vec<(f64, Measure)>,
    reference: f64,
}

impl MjcfReader<'_> {
    /// All equality constraints.
    pub fn equality(&mut self, root: &Element, writer: &mut SpecWriter) -> Result<(), Diagnostic> {
        let mut exact = 0;
        for e in root.all("equality").flat_map(|s| &s.children) {
            let element = &self.defaults.apply(e, None)?;
            let name = element.get("name").unwrap_or(&element.name).to_string();
            if element.get("active") == Some("false") {
                self.ledger.not_imported_kind("equality constraints that are not active", &name, Some(&element.place));
                continue;
            }
            exact += 1;
            match element.name.as_str() {
                "connect" => self.connect(element, &name, writer)?,
                "weld" => self.weld(element, &name, writer)?,
                "joint" | "tendon" => self.couple(element, &name, writer)?,
                other => {
                    exact -= 1;
                    self.ledger.not_imported_kind(&format!("equality {other}"), &name, Some(&element.place));
                }
            }
        }
        if exact > 0 {
            self.ledger.note(format!("{exact} equality constraints, soft in MuJoCo, hold exactly here"));
        }
        Ok(())
    }

    /// Placements of the two sides, given by bodies or by sites.
    fn sides(&self, e: &Element) -> Result<([FramePlacement; 2], Sides), Diagnostic> {
        if e.has("site1") || e.has("site2") {
            let seat = |n: &str| self.site_seat(e.require(n)?, e);
            return Ok(([seat("site1")?, seat("site2")?], Sides::Sites));
        }
        let second = match e.get("body2") {
            Some(name) => self.body_seat(name, e)?,
            None => FramePlacement { link: None, pose: Pose::IDENTITY },
        };
        Ok(([self.body_seat(e.require("body1")?, e)?, second], Sides::Bodies))
    }

    /// Whether both sides are the same body; then there is no constraint.
    fn same(&mut self, sides: &[FramePlacement; 2], name: &str, e: &Element) -> bool {
        let same = sides[0].link == sides[1].link;
        if same {
            self.ledger.not_imported_kind("equality constraints within one body", name, Some(&e.place));
        }
        same
    }

    fn connect(&mut self, e: &Element, name: &str, writer: &mut SpecWriter) -> Result<(), Diagnostic> {
        let (seats, by) = self.sides(e)?;
        if self.same(&seats, name, e) {
            return Ok(());
        }
        let (mut one, mut two) = (Pose::IDENTITY, Pose::IDENTITY);
        if by == Sides::Bodies {
            let anchor =
                e.numbers::<3>("anchor")?.ok_or_else(|| e.error(format!("connect `{name}` needs an anchor")))?;
            one.p = Vec3::from(anchor);
            // The anchor on the second body is where the anchor of the first is in the pose of the file.
            let point = self.world(&seats[0]).point(&one.p);
            two.p = self.world(&seats[1]).inverse().point(&point);
        }
        let name = writer.constraint_name(&crate::mjcf::plain(name));
        let (a, b) = (writer.marker_at(&seats[0], &name, &one), writer.marker_at(&seats[1], &name, &two));
        writer.spec.constraint(&name, Joint::spherical(&a, &b));
        Ok(())
    }

    fn weld(&mut self, e: &Element, name: &str, writer: &mut SpecWriter) -> Result<(), Diagnostic> {
        let (seats, by) = self.sides(e)?;
        if self.same(&seats, name, e) {
            return Ok(());
        }
        let given = e.numbers::<7>("relpose")?;
        let one = match (by, given) {
            (Sides::Sites, _) => Pose::IDENTITY,
            (Sides::Bodies, Some([x, y, z, a, b, c, d])) if [a, b, c, d] != [0.0; 4] => {
                let R =
                    rotation_of_quaternion([a, b, c, d]).ok_or_else(|| e.error("the relpose has no orientation"))?;
                Pose { R, p: Vec3::new(x, y, z) }
            }
            (Sides::Bodies, _) => self.world(&seats[0]).inverse().compose(&self.world(&seats[1])),
        };
        let name = writer.constraint_name(&crate::mjcf::plain(name));
        let a = writer.marker_at(&seats[0], &name, &one);
        let b = writer.marker_at(&seats[1], &name, &Pose::IDENTITY);
        writer.spec.constraint(&name, Joint::fixed(&a, &b));
        Ok(())
    }

    /// y − y₀ = c₀ + c₁ (x − x₀), of joints or of fixed tendons.
    fn couple(&mut self, e: &Element, name: &str, writer: &mut SpecWriter) -> Result<(), Diagnostic> {
        let (first, second) = match e.name.as_str() {
            "joint" => ("joint1", "joint2"),
            _ => ("tendon1", "tendon2"),
        };
        let c = e.list("polycoef")?.unwrap_or_else(|| vec![0.0, 1.0]);
        let at = |i: usize| c.get(i).copied().unwrap_or(0.0);
        if (2..c.len()).any(|i| at(i) != 0.0) {
            let what = "polycoef of second and higher order: only the linear part is kept, which gives another motion";
            self.ledger.not_imported(format!("equality `{name}`"), what, Some(&e.place));
        }
        let side = |reader: &MjcfReader, which: &str| match e.name.as_str() {
            "joint" => reader.joint_side(e.require(which)?, e, writer),
            _ => reader.tendon_side(e.require(which)?, e, writer),
        };
        let one = side(self, first)?;
        let two =
            if e.has(second) { side(self, second)? } else { Some(EqualitySide { terms: Vec::new(), reference: 0.0 }) };
        let (Some(y), Some(x)) = (one, two) else {
            let what = "one of its joints or tendons has no measurable coordinate";
            self.ledger.not_imported(format!("equality `{name}`"), what, Some(&e.place));
            return Ok(());
        };
        let mut terms = y.terms;
        terms.extend(x.terms.into_iter().map(|(k, m)| (-at(1) * k, m)).filter(|(k, _)| *k != 0.0));
        let sum = y.reference + at(0) - at(1) * x.reference;
        let held = if sum == 0.0 { Prescription::Fixed } else { Prescription::Position(Signal::constant(sum)) };
        let name = writer.constraint_name(&crate::mjcf::plain(name));
        writer.spec.constraint(&name, Relation::new(terms).follows(held));
        Ok(())
    }

    fn joint_side(&self, joint: &str, e: &Element, writer: &SpecWriter) -> Result<Option<EqualitySide>, Diagnostic> {
        let name = self.joint_name(joint, e)?;
        let reference = self.references.get(name).map_or(0.0, |r| r.0);
        Ok(writer.coordinates.get(name).map(|m| EqualitySide { terms: vec![(1.0, m.clone())], reference }))
    }

    fn tendon_side(&self, tendon: &str, e: &Element, writer: &SpecWriter) -> Result<Option<EqualitySide>, Diagnostic> {
        let mut sum = EqualitySide { terms: Vec::new(), reference: 0.0 };
        match self.tendons.get(tendon) {
            None => return Err(e.error(format!("there is no tendon `{tendon}`"))),
            Some(Tendon::Fixed(joints)) => {
                for (k, joint) in joints {
                    let Some(one) = self.joint_side(joint, e, writer)? else { return Ok(None) };
                    sum.terms.extend(one.terms.into_iter().map(|(c, m)| (k * c, m)));
                    sum.reference += k * one.reference;
                }
            }
            Some(Tendon::Straight(sites)) => {
                let [a, b] = sites;
                let (p, q) = (self.world(&self.site_seat(a, e)?).p, self.world(&self.site_seat(b, e)?).p);
                sum.reference = (p - q).norm();
                sum.terms.push((1.0, self.site_distance(a, b, e)?));
            }
            Some(Tendon::Other) => return Ok(None),
        }
        Ok(Some(sum))
    }
}

/// Attributes that name the sides of an equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    Bodies,
    Sites,
}
