//! Text output of the findings.

use super::{
    ConstraintResidual, DependentSet, DoctorReport, ExaminedPose, FreeMotion, GivenVelocities, LeadingCoordinate,
    Persistence,
};
use crate::analyses::RowConsistency;
use crate::simulation::list_names;
use std::fmt;

/// The name of a coordinate axis such as `z`, or the components of a direction.
pub(super) fn describe_axis(axis: &[f64; 3]) -> String {
    match axis.iter().position(|x| x.abs() > 1.0 - 1e-6) {
        Some(i) => ["x", "y", "z"][i].to_string(),
        None => {
            let [x, y, z] = axis.map(|x| if x.abs() < 5e-4 { 0.0 } else { x });
            format!("axis {x:.3}, {y:.3}, {z:.3}")
        }
    }
}

/// Describes a velocity of a body.
pub(super) fn describe_velocity(velocity: &str) -> String {
    match velocity {
        "vx" | "vy" | "vz" => format!("moves along {}", &velocity[1..]),
        "wx" | "wy" | "wz" => format!("turns about {}", &velocity[1..]),
        "omega" => "turns".to_string(),
        other => format!("moves along its `{}`", other.trim_end_matches('\'')),
    }
}

/// `; … describe_followers`, or nothing.
pub(super) fn describe_followers(bodies: &[String]) -> String {
    match bodies.len() {
        0 => String::new(),
        1 => format!("; {} follows", list_names(bodies)),
        _ => format!("; {} follow", list_names(bodies)),
    }
}

impl fmt::Display for FreeMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl fmt::Display for LeadingCoordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeadingCoordinate::Turn { joint, .. } => write!(f, "{joint}.angle"),
            LeadingCoordinate::Slide { joint, .. } => write!(f, "{joint}.slide"),
            LeadingCoordinate::Velocity { body, velocity } => write!(f, "{body}.{velocity}"),
            LeadingCoordinate::Body { body } => f.write_str(body),
        }
    }
}

impl fmt::Display for DependentSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, n) = (list_names(&self.constraints), self.redundant);
        let pose = match self.persistence {
            Persistence::Structural => ", in every pose",
            Persistence::Pose => ", in this pose only",
            Persistence::Unknown => "",
        };
        let empty = self.circuits.iter().all(|c| c.len() == 1);
        match (empty, &self.rows[..]) {
            (true, [row]) => write!(f, "`{row}` has no effect{pose}: no body can move along it")?,
            (true, rows) => write!(f, "{} have no effect{pose}: no body can move along them", list_names(rows))?,
            (false, _) => {
                let many = if n == 1 { "one row".to_string() } else { format!("{n} rows") };
                write!(f, "{many} redundant among {names}{pose}")?;
            }
        }
        match self.verdict {
            RowConsistency::Contradictory { position, velocity, acceleration } => {
                let levels = [
                    ("positions", position, ""),
                    ("velocities", velocity, "/s"),
                    ("accelerations", acceleration, "/s²"),
                ];
                // A contradiction at the lowest level explains those above it.
                let (what, size, per) = levels.into_iter().find(|(_, x, _)| *x > 1e-8).unwrap_or(levels[2]);
                let unit = if self.unit.contains(' ') { format!("({})", self.unit) } else { self.unit.to_string() };
                write!(f, "; they contradict each other in their {what} by {size:.3e} {unit}{per}")
            }
            _ if empty => f.write_str("; harmless"),
            _ if self.persistence == Persistence::Pose => {
                f.write_str("; they are consistent, but the mechanism may leave this pose along more than one branch")
            }
            _ => f.write_str("; harmless: they are consistent, only the distribution of their reactions is not unique"),
        }
    }
}

impl fmt::Display for DoctorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let bodies = plural(self.bodies, "body", "bodies");
        write!(f, "{bodies}, {} velocities, {} constraint rows", self.velocities, self.rows)?;
        if let Some(count) = &self.here {
            let freedoms = plural(count.freedoms, "degree of freedom", "degrees of freedom");
            write!(f, " of rank {}: {freedoms}", count.rank)?;
            if let Some(near) = self.nearby.as_ref().filter(|near| *near != count) {
                write!(f, " in this pose, {} in poses nearby", near.freedoms)?;
            }
        }
        if self.pose == ExaminedPose::Open {
            write!(f, "\nthe constraints cannot be satisfied; the results are for the nearest pose found")?;
        }
        for motion in &self.motions {
            write!(f, "\nfree: {motion}")?;
        }
        for set in &self.dependent {
            write!(f, "\ndependent: {set}")?;
        }
        for near in self.nearly_dependent.iter().take(6) {
            write!(
                f,
                "\nnearly dependent: {} are independent only by a misalignment of {:.1e}, which will bind: align them exactly, or \
                 release a direction",
                list_names(&near.constraints),
                near.misalignment
            )?;
        }
        let velocity = |r: &ConstraintResidual| if self.start == GivenVelocities::Nonzero { r.velocity } else { 0.0 };
        for r in self.residuals.iter().filter(|r| r.position > 1e-9 || velocity(r) > 1e-9).take(6) {
            let parts = [(r.position, r.unit.to_string()), (velocity(r), format!("{}/s", r.unit))];
            let reported: Vec<String> =
                parts.iter().filter(|(x, _)| *x > 1e-9).map(|(x, unit)| format!("{x:.3e} {unit}")).collect();
            write!(f, "\nas given: `{}` is off by {}", r.row, reported.join(" and "))?;
        }
        for joint in &self.opposed {
            write!(f, "\njoint `{joint}` assembles with opposed axes; turn one marker by half a turn")?;
        }
        if !self.loose.bodies.is_empty() {
            write!(f, "\nno constraint or force acts on {}", list_names(&self.loose.bodies))?;
        }
        if !self.loose.markers.is_empty() {
            write!(f, "\nnothing refers to {}", list_names(&self.loose.markers))?;
        }
        for note in &self.notes {
            write!(f, "\nnote: {note}")?;
        }
        Ok(())
    }
}
