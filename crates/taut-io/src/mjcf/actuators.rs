//! `<actuator>`: forces along joints, tendons and sites.
//!
//! ```text
//!  F = (g₀ + g₁ l + g₂ l̇) u + b₀ + b₁ l + b₂ l̇          l = gear · q,  force on q: gear · F
//! ```
//!
//! The control u is a constant: that of the key the robot starts from, or zero.

use super::MjcfReader;
use super::tendons::Tendon;
use crate::diagnostic::Diagnostic;
use crate::robot::xml::Element;
use crate::robot::{Pose, SpecWriter};
use taut::forces::{Applied, Spring};
use taut::signals::{ForceLaw, LinearLaw};
use taut::{Measure, Signal};

/// The coefficients of F.
#[derive(Clone, Copy, Debug)]
struct ActuatorForce {
    gain: [f64; 3],
    bias: [f64; 3],
}

impl MjcfReader<'_> {
    /// All actuators; `controls` are their controls in order.
    pub fn actuators(&mut self, root: &Element, controls: &[f64], writer: &mut SpecWriter) -> Result<(), Diagnostic> {
        let mut driven = 0;
        for (i, e) in root.all("actuator").flat_map(|s| &s.children).enumerate() {
            let element = self.defaults.apply(e, None)?;
            let control = controls.get(i).copied().unwrap_or(0.0);
            driven += usize::from(self.actuator(&element, control, writer)?);
        }
        if driven > 0 {
            self.ledger.note(format!("{driven} actuators have constant controls: replace the `drive` of their forces"));
        }
        Ok(())
    }

    /// Whether it was imported.
    fn actuator(&mut self, e: &Element, control: f64, writer: &mut SpecWriter) -> Result<bool, Diagnostic> {
        let name = e.get("name").unwrap_or(&e.name).to_string();
        let place = Some(e.place.clone());
        let Some(effort) = effort(e)? else {
            self.ledger.not_imported_kind(&format!("actuators of the kind {}", e.name), &name, place.as_ref());
            return Ok(false);
        };
        if e.get("dyntype").is_some_and(|d| d != "none") || e.name == "intvelocity" || e.has("timeconst") {
            self.ledger.not_imported_kind(
                "internal dynamics of actuators (their activation stays zero)",
                &name,
                place.as_ref(),
            );
        }
        for other in ["dampratio", "inheritrange"] {
            if e.number_or_zero(other)? != 0.0 {
                self.ledger.not_imported_kind(&format!("{other} of actuators"), &name, place.as_ref());
            }
        }
        if e.has("forcerange") && e.get("forcelimited") != Some("false") {
            self.ledger.not_imported_kind("forcerange of actuators", &name, place.as_ref());
        }
        let control = match e.numbers::<2>("ctrlrange")? {
            Some([low, high]) if e.get("ctrllimited") != Some("false") && low <= high => control.clamp(low, high),
            _ => control,
        };
        let gear = e.list("gear")?.unwrap_or_else(|| vec![1.0]);
        if e.has("site") && !e.has("refsite") {
            return self.site_force(e, &name, &gear, effort, control, writer);
        }
        let gear = gear.first().copied().unwrap_or(1.0);
        let Some(along) = self.transmission(e, writer)? else {
            self.ledger.not_imported_kind(
                "actuators on anything other than hinges, slides and tendons",
                &name,
                place.as_ref(),
            );
            return Ok(false);
        };
        let single = along.len() == 1;
        if !single && effort.depends(control) {
            let what = "a force that depends on the length of a tendon over several joints";
            self.ledger.not_imported(format!("actuator `{name}`"), what, place.as_ref());
            return Ok(false);
        }
        for (k, (factor, measure)) in along.into_iter().enumerate() {
            let force = super::plain(&name);
            let force = writer.force_name(&if single { force } else { format!("{force}-{}", k + 1) });
            writer.spec.force(&force, effort.along(measure, gear * factor, control));
        }
        Ok(true)
    }

    /// The coordinates it acts on, each with its factor.
    fn transmission(&self, e: &Element, writer: &mut SpecWriter) -> Result<Option<Vec<(f64, Measure)>>, Diagnostic> {
        let coordinate = |joint: &str, writer: &SpecWriter| -> Result<Option<Measure>, Diagnostic> {
            Ok(writer.coordinates.get(self.joint_name(joint, e)?).cloned())
        };
        if let Some(joint) = e.get("joint").or(e.get("jointinparent")) {
            return Ok(coordinate(joint, writer)?.map(|m| vec![(1.0, m)]));
        }
        let Some(tendon) = e.get("tendon") else { return Ok(None) };
        match self.tendons.get(tendon) {
            None => Err(e.error(format!("there is no tendon `{tendon}`"))),
            Some(Tendon::Other) => Ok(None),
            Some(Tendon::Straight([a, b])) => Ok(Some(vec![(1.0, self.site_distance(a, b, e)?)])),
            Some(Tendon::Fixed(joints)) => {
                let mut along = Vec::new();
                for (k, joint) in joints {
                    let Some(measure) = coordinate(joint, writer)? else { return Ok(None) };
                    along.push((*k, measure));
                }
                Ok(Some(along))
            }
        }
    }

    /// A force and torque in the axes of a site; its length is always zero.
    fn site_force(
        &mut self,
        e: &Element,
        name: &str,
        gear: &[f64],
        effort: ActuatorForce,
        control: f64,
        writer: &mut SpecWriter,
    ) -> Result<bool, Diagnostic> {
        let seat = self.site_seat(e.require("site")?, e)?;
        if effort.gain[1..].iter().chain(&effort.bias[1..]).any(|k| *k != 0.0) {
            self.ledger.not_imported(
                format!("actuator `{name}`"),
                "a force on a site that depends on velocity",
                Some(&e.place),
            );
            return Ok(false);
        }
        if seat.link.is_none() {
            self.ledger.not_imported_kind("actuators on the ground", name, Some(&e.place));
            return Ok(false);
        }
        let force = effort.gain[0] * control + effort.bias[0];
        let along = |i: usize| Signal::constant(force * gear.get(i).copied().unwrap_or(0.0));
        let name = writer.force_name(&super::plain(name));
        let at = writer.marker_at(&seat, &name, &Pose::IDENTITY);
        let applied = Applied { torque: [3, 4, 5].map(along), ..Applied::force(&at, [0, 1, 2].map(along)) };
        writer.spec.force(&name, applied.follower());
        Ok(true)
    }
}

/// The coefficients of an actuator, if it has any.
fn effort(e: &Element) -> Result<Option<ActuatorForce>, Diagnostic> {
    let three = |name: &str, otherwise: [f64; 3]| -> Result<[f64; 3], Diagnostic> {
        let Some(list) = e.list(name)? else { return Ok(otherwise) };
        Ok([0, 1, 2].map(|i| list.get(i).copied().unwrap_or(0.0)))
    };
    let gain = |g: f64, bias: [f64; 3]| Ok(Some(ActuatorForce { gain: [g, 0.0, 0.0], bias }));
    match e.name.as_str() {
        "motor" => gain(1.0, [0.0; 3]),
        "position" | "intvelocity" => {
            let (kp, kv) = (e.number("kp")?.unwrap_or(1.0), e.number_or_zero("kv")?);
            gain(kp, [0.0, -kp, -kv])
        }
        "velocity" => {
            let kv = e.number("kv")?.unwrap_or(1.0);
            gain(kv, [0.0, 0.0, -kv])
        }
        "damper" => {
            let kv = e.number("kv")?.unwrap_or(1.0);
            Ok(Some(ActuatorForce { gain: [0.0, 0.0, -kv], bias: [0.0; 3] }))
        }
        "general" => {
            let given = three("gainprm", [1.0, 0.0, 0.0])?;
            let gain = match e.get("gaintype").unwrap_or("fixed") {
                "fixed" => [given[0], 0.0, 0.0],
                "affine" => given,
                _ => return Ok(None),
            };
            let bias = match e.get("biastype").unwrap_or("none") {
                "none" => [0.0; 3],
                "affine" => three("biasprm", [0.0; 3])?,
                _ => return Ok(None),
            };
            Ok(Some(ActuatorForce { gain, bias }))
        }
        _ => Ok(None),
    }
}

impl ActuatorForce {
    /// k of F = k₀ + k₁ l + k₂ l̇ besides the drive g₀ u.
    fn law(&self, control: f64) -> [f64; 3] {
        [self.bias[0], self.bias[1] + self.gain[1] * control, self.bias[2] + self.gain[2] * control]
    }

    fn depends(&self, control: f64) -> bool {
        self.law(control)[1..].iter().any(|k| *k != 0.0)
    }

    fn along(&self, measure: Measure, gear: f64, control: f64) -> Spring {
        let [k0, k1, k2] = self.law(control);
        // −0.0 would be written to files.
        let square = |k: f64| if k == 0.0 { 0.0 } else { -gear * gear * k };
        let law = LinearLaw { stiffness: square(k1), damping: square(k2), rest: 0.0, preload: gear * k0 };
        let drive = Signal::constant(gear * self.gain[0] * control + 0.0);
        match law == LinearLaw::default() {
            true => Spring::actuator(measure, drive),
            false => Spring::new(measure, ForceLaw::Linear(law)).driven(drive),
        }
    }
}
