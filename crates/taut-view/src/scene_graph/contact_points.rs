//! Contact points. Runs record contact forces but not points; these are recomputed from shapes and poses.
//!
//! Among the points at which two surfaces are close, the one whose lever arm gives the recorded moment is chosen: m = r × f.

use super::RunScene;
use super::arrows::point_columns;
use taut::Column;
use taut::constraints::ConstraintKind;
use taut::forces::ForceKind;
use taut::motion::Vec3;
use taut::shapes::{ContactGeometry, Pose, contact_points};
use taut_io::results::ResultsError;

/// Largest distance of surfaces in contact, relative to their size.
const CONTACT_DISTANCE: f64 = 0.02;

impl RunScene {
    /// Columns of the contact points of all contacts, three per element, with the rows of the run. While a contact is open its
    /// point keeps the last position.
    ///
    /// # Errors
    /// The run cannot be read.
    pub fn contact_points(&self) -> Result<Vec<Column>, ResultsError> {
        let model = &self.model;
        let constraints = model.constraints.iter().filter(|c| matches!(c.kind, ConstraintKind::Contact(_)));
        let forces = model.forces.iter().filter(|f| matches!(f.kind, ForceKind::Compliant(_)));
        let meeting = constraints.map(|c| (&c.name, &c.markers)).chain(forces.map(|f| (&f.name, &f.markers)));
        let has = |name: &String| self.run.columns().iter().any(|c| c.name == *name);
        let mut columns = Vec::new();
        for (name, markers) in meeting {
            let wanted: Vec<String> =
                ["fx", "fy", "fz", "mx", "my", "mz"].iter().map(|short| format!("{name}.{short}")).collect();
            if let (&[a, b], true) = (markers.as_slice(), wanted.iter().all(has)) {
                let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
                let wrench = self.run.table(&wanted)?;
                let column = |k: usize| &wrench.columns()[k].data;
                let read =
                    |first: usize, row: usize| Vec3::from_fn(|i, _| column(first + i).get(row).copied().unwrap_or(0.0));
                let points = self.points(a, b, |row| (read(0, row), read(3, row)));
                for (i, column) in point_columns(name).into_iter().enumerate() {
                    let meaning = format!("{} of the point in which `{name}` touches", ["x", "y", "z"][i]);
                    let data = points.iter().map(|p| p[i]).collect();
                    columns.push(Column { name: column, unit: "m".to_string(), meaning, data });
                }
            }
        }
        Ok(columns)
    }

    /// The contact point in every row, for surfaces on these markers.
    fn points(&self, a: usize, b: usize, wrench: impl Fn(usize) -> (Vec3, Vec3)) -> Vec<Vec3> {
        let model = &self.model;
        let on = |marker: usize| model.surfaces.iter().filter(move |s| s.marker == marker);
        let pairs: Vec<_> = on(a).flat_map(|x| on(b).map(move |y| (x, y))).collect();
        let spots = [a, b].map(|m| self.graph.spot(model, m));
        let mut last: Option<Vec3> = None;
        let mut found: Vec<ContactGeometry> = Vec::new();
        let mut points: Vec<Option<Vec3>> = Vec::with_capacity(self.rows());
        for row in 0..self.rows() {
            let (f, m) = wrench(row);
            if f.norm() > 0.0
                && let [Some(at_a), Some(at_b)] = &spots
            {
                let poses = self.graph.poses(model, &self.coordinates(row));
                let [A, B] = [at_a, at_b].map(|s| {
                    let (p, R) = &poses[s.figure];
                    let R_M = taut::motion::rotation_of_quaternion(&s.q);
                    Pose { p: Vec3::from(*p) + R * Vec3::from(s.p), R: R * R_M }
                });
                found.clear();
                for (x, y) in &pairs {
                    let reach = [x, y]
                        .iter()
                        .map(|s| s.solid.radius_about_marker())
                        .filter(|r| r.is_finite())
                        .fold(0.0, f64::max);
                    contact_points(&x.solid, &A, &y.solid, &B, CONTACT_DISTANCE * reach, &mut found);
                }
                let amiss = |t: &ContactGeometry| (m - (t.point_b - B.p).cross(&f)).norm();
                let best = found.iter().min_by(|x, y| amiss(x).total_cmp(&amiss(y)));
                // Without a point nearby only the line of action is known.
                last = Some(best.map_or_else(|| B.p + f.cross(&m) / f.norm_squared(), |t| t.point_b));
            }
            points.push(last);
        }
        let first = points.iter().flatten().next().copied().unwrap_or_else(Vec3::zeros);
        points.into_iter().map(|p| p.unwrap_or(first)).collect()
    }
}
