//! Extremes over the rows of a run, gathered as they stream by.

use super::parts::{Contact, Drive, Level, Peak, Reaction, Vector};
use std::cell::RefCell;
use std::collections::HashMap;
use taut::constraints::{ConstraintKind, Hold, Turning};
use taut::{Model, Signal, Table};

/// What the extremes are taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// The rows of the table.
    #[default]
    Rows,
    /// The motion itself, peaks between rows included.
    Motion,
}

/// Extremes over all rows so far.
#[derive(Clone, Debug, Default)]
pub struct Extremes {
    names: Vec<String>,
    pub(super) rows: usize,
    pub(super) balance: Option<(usize, Peak)>,
    pub(super) kinetic: Option<(usize, Peak)>,
    pub(super) levels: Vec<Level>,
    pub(super) reactions: Vec<Reaction>,
    pub(super) drives: Vec<Drive>,
    pub(super) contacts: Vec<Contact>,
    pub(super) coverage: Coverage,
    /// Whether the run was resumed: peaks between the earlier rows are then unknown.
    resumed: bool,
}

impl Extremes {
    /// Prepares to collect the extremes of a table with these columns.
    pub fn of(model: &Model, table: &Table) -> Extremes {
        let names = RefCell::new(vec!["t".to_string()]);
        let index: HashMap<&str, usize> =
            table.columns().iter().enumerate().map(|(i, c)| (c.name.as_str(), i)).collect();
        let find = |name: &str| {
            let found = index.get(name).copied();
            found.inspect(|_| names.borrow_mut().push(name.to_string()))
        };
        let vector = |name: &str, short: char| -> Option<Vector> {
            let axis = |x| find(&format!("{name}.{short}{x}"));
            Some(Vector {
                name: name.to_string(),
                columns: [axis('x')?, axis('y')?, axis('z')?],
                peak: Peak::default(),
            })
        };
        let mut reactions = Vec::new();
        for c in &model.constraints {
            let markers = c.markers.iter().map(|&m| format!("{}.{}", c.name, model.markers[m].name));
            for name in std::iter::once(c.name.clone()).chain(markers) {
                if let Some(force) = vector(&name, 'f') {
                    reactions.push(Reaction { force, moment: vector(&name, 'm') });
                }
            }
        }
        let level = |name: &'static str| {
            let columns = [find(&format!("residual.{name}"))?, find(&format!("residual.{name}.row"))?];
            Some(Level { name, columns, worst: Peak::default(), row: 0 })
        };
        let drive = |row: usize| {
            let (owner, own) = (model.owner(row), &model.rows[row]);
            let column = find(&format!("{}.lambda_{}", owner.name, own.name))?;
            let unit = if own.unit == "rad" { "N m" } else { "N" };
            let (least, most) = (Peak { value: f64::INFINITY, t: 0.0 }, Peak { value: f64::NEG_INFINITY, t: 0.0 });
            let name = if owner.rows.len() == 1 { owner.name.clone() } else { model.row_name(row) };
            Some(Drive { name, unit: unit.to_string(), column, least, most })
        };
        let balance = find("energy.balance").map(|i| (i, Peak::default()));
        let kinetic = find("energy.kinetic").map(|i| (i, Peak::default()));
        let levels = ["position", "velocity", "acceleration"].into_iter().filter_map(level).collect();
        let drives = driven(model).into_iter().filter_map(drive).collect();
        let contact = |name: &str| {
            let columns = [find(&format!("{name}.impulse"))?, find(&format!("{name}.gap"))?];
            let deepest = Peak { value: f64::NEG_INFINITY, t: 0.0 };
            Some(Contact { name: name.to_string(), columns, impulse: 0.0, deepest })
        };
        let contacts = model.constraints.iter().filter_map(|c| contact(&c.name)).collect();
        Extremes {
            names: names.into_inner(),
            rows: 0,
            balance,
            kinetic,
            levels,
            reactions,
            drives,
            contacts,
            coverage: Coverage::default(),
            resumed: false,
        }
    }

    /// Adds rows; their columns are those of the table passed to [`Extremes::of`].
    pub fn see(&mut self, rows: &Table) {
        let columns = rows.columns();
        for i in 0..rows.len() {
            let (t, at) = (columns[0].data[i], |k: usize| columns[k].data[i]);
            for (k, peak) in self.balance.iter_mut().chain(&mut self.kinetic) {
                peak.raise(at(*k).abs(), t);
            }
            for level in &mut self.levels {
                let before = level.worst;
                level.worst.raise(at(level.columns[0]), t);
                if level.worst != before {
                    level.row = at(level.columns[1]) as usize;
                }
            }
            for r in &mut self.reactions {
                for v in std::iter::once(&mut r.force).chain(&mut r.moment) {
                    let [x, y, z] = v.columns.map(at);
                    v.peak.raise(x.hypot(y).hypot(z), t);
                }
            }
            for c in &mut self.contacts {
                c.impulse = at(c.columns[0]);
                let depth = -at(c.columns[1]);
                if depth > c.deepest.value {
                    c.deepest = Peak { value: depth, t };
                }
            }
            for d in &mut self.drives {
                let x = at(d.column);
                if x < d.least.value {
                    d.least = Peak { value: x, t };
                }
                if x > d.most.value {
                    d.most = Peak { value: x, t };
                }
            }
        }
        self.rows += rows.len();
    }

    /// Adds rows sampled at peaks, which are not part of the table and are not counted.
    pub fn see_peaks(&mut self, rows: &Table) {
        let counted = self.rows;
        self.see(rows);
        self.rows = counted;
    }

    /// Sets whether the extremes are those of the motion or of the rows alone.
    pub fn covers(&mut self, coverage: Coverage) {
        self.coverage = if self.resumed { Coverage::Rows } else { coverage };
    }

    /// Whether a column is needed here; the time always is.
    pub fn needs(&self, name: &str) -> bool {
        self.names.iter().any(|n| n == name)
    }

    /// Merges the extremes of earlier rows of the same run.
    pub fn take_over(&mut self, earlier: &Extremes) {
        self.rows += earlier.rows;
        self.resumed = true;
        let pairs = [(&mut self.balance, earlier.balance), (&mut self.kinetic, earlier.kinetic)];
        for (own, other) in pairs {
            own.iter_mut().zip(other).for_each(|((_, own), (_, other))| own.raise(other.value, other.t));
        }
        for own in &mut self.levels {
            let before = own.worst;
            if let Some(other) = earlier.levels.iter().find(|l| l.name == own.name) {
                own.worst.raise(other.worst.value, other.worst.t);
                own.row = if own.worst == before { own.row } else { other.row };
            }
        }
        for own in &mut self.reactions {
            let Some(other) = earlier.reactions.iter().find(|r| r.force.name == own.force.name) else { continue };
            own.force.peak.raise(other.force.peak.value, other.force.peak.t);
            let moments = own.moment.iter_mut().zip(&other.moment);
            moments.for_each(|(own, other)| own.peak.raise(other.peak.value, other.peak.t));
        }
        for own in &mut self.contacts {
            let Some(other) = earlier.contacts.iter().find(|c| c.name == own.name) else { continue };
            own.impulse = if self.rows == earlier.rows { other.impulse } else { own.impulse };
            own.deepest = if other.deepest.value >= own.deepest.value { other.deepest } else { own.deepest };
        }
        for own in &mut self.drives {
            if let Some(other) = earlier.drives.iter().find(|d| d.name == own.name) {
                own.least = if other.least.value <= own.least.value { other.least } else { own.least };
                own.most = if other.most.value >= own.most.value { other.most } else { own.most };
            }
        }
    }

    /// Largest position residual so far.
    pub fn residual(&self) -> Option<f64> {
        self.levels.iter().find(|l| l.name == "position").map(|l| l.worst.value)
    }
}

/// Constraint rows that prescribe a motion in time.
fn driven(model: &Model) -> Vec<usize> {
    let moves = |hold: &Hold| match hold {
        Hold::Position(s) => !matches!(s, Signal::Constant { .. }),
        Hold::Velocity(_) | Hold::Acceleration(_) => true,
        Hold::Free | Hold::Held => false,
    };
    let mut rows = Vec::new();
    for c in &model.constraints {
        match &c.kind {
            ConstraintKind::Relation(r) if moves(&r.follows) => rows.extend(c.rows.clone()),
            ConstraintKind::Joint(j) => {
                let along = j.along.iter().filter(|h| **h != Hold::Free).enumerate();
                rows.extend(along.filter(|(_, h)| moves(h)).map(|(k, _)| c.rows.start + k));
                if let Turning::About(h) | Turning::Locked(h) = &j.turning
                    && moves(h)
                {
                    rows.push(c.rows.end - 1);
                }
            }
            _ => {}
        }
    }
    rows
}
