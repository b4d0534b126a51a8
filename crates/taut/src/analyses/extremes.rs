//! Extremes over the rows of a run, gathered as they stream by: largest reactions, driving forces, residuals, energies.

mod peaks;

pub use peaks::{ContactPeak, DriverEffort, Peak, ReactionPeak, ResidualLevel, VectorPeak};

use super::driver_rows::{DriverRow, driver_rows};
use super::{JointDeterminacy, joint_determinacy};
use crate::model::Model;
use crate::simulation::run::Run;
use crate::solution::Table;
use crate::state::State;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

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
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
/// use taut::Extremes;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("bob", PointMass::new(2.0, [0.0, 0.0, -1.0]))
///     .constraint("rod", Relation::rod("ground", "bob", 1.0));
/// let model = spec.build()?;
/// let rest = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
/// let mut extremes = Extremes::of(&model, &rest.table);
/// extremes.add_rows(&rest.table);
/// assert!((extremes.reactions[0].force.peak.value - 2.0 * 9.81).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Extremes {
    names: Vec<String>,
    /// Number of rows.
    pub rows: usize,
    /// Column and largest magnitude of the energy balance, J.
    pub energy_balance: Option<(usize, Peak)>,
    /// Column and largest value of the kinetic energy, J.
    pub kinetic_energy: Option<(usize, Peak)>,
    /// Largest residuals of position, velocity and acceleration.
    pub residual_levels: Vec<ResidualLevel>,
    /// Largest reactions of the constraints.
    pub reactions: Vec<ReactionPeak>,
    /// Smallest and largest forces of the drivers.
    pub driver_efforts: Vec<DriverEffort>,
    /// Impulses and gaps of the contacts of a time-stepping run.
    pub contacts: Vec<ContactPeak>,
    /// What the extremes are taken from.
    pub coverage: Coverage,
    /// Joints whose reactions are not all unique.
    open: BTreeMap<String, JointDeterminacy>,
    /// Whether a state was examined, and whether one could not be.
    examined: bool,
    not_examined: bool,
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
        let vector = |name: &str, short: char| -> Option<VectorPeak> {
            let axis = |x| find(&format!("{name}.{short}{x}"));
            Some(VectorPeak {
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
                    reactions.push(ReactionPeak { force, moment: vector(&name, 'm') });
                }
            }
        }
        let level = |name: &'static str| {
            let columns = [find(&format!("residual.{name}"))?, find(&format!("residual.{name}.row"))?];
            Some(ResidualLevel { name, columns, worst: Peak::default(), row: 0 })
        };
        let drive = |driver: DriverRow| {
            let (owner, own) = (model.constraint_of_row(driver.row), &model.rows[driver.row]);
            let column = find(&format!("{}.lambda_{}", owner.name, own.name))?;
            let (least, most) = (Peak { value: f64::INFINITY, t: 0.0 }, Peak { value: f64::NEG_INFINITY, t: 0.0 });
            let DriverRow { name, unit, .. } = driver;
            Some(DriverEffort { name, unit: unit.to_string(), column, minimum: least, maximum: most })
        };
        let balance = find("energy.balance").map(|i| (i, Peak::default()));
        let kinetic = find("energy.kinetic").map(|i| (i, Peak::default()));
        let levels = ["position", "velocity", "acceleration"].into_iter().filter_map(level).collect();
        let drives = driver_rows(model, |name| reactions.iter().any(|r| r.force.name == name))
            .into_iter()
            .filter_map(drive)
            .collect();
        let contact = |name: &str| {
            let columns = [find(&format!("{name}.impulse"))?, find(&format!("{name}.gap"))?];
            let deepest = Peak { value: f64::NEG_INFINITY, t: 0.0 };
            Some(ContactPeak { name: name.to_string(), columns, impulse: 0.0, largest_overlap: deepest })
        };
        let contacts = model.constraints.iter().filter_map(|c| contact(&c.name)).collect();
        Extremes {
            open: BTreeMap::new(),
            examined: false,
            not_examined: false,
            names: names.into_inner(),
            rows: 0,
            energy_balance: balance,
            kinetic_energy: kinetic,
            residual_levels: levels,
            reactions,
            driver_efforts: drives,
            contacts,
            coverage: Coverage::default(),
            resumed: false,
        }
    }

    /// Adds rows; their columns are those of the table passed to [`Extremes::of`].
    pub fn add_rows(&mut self, rows: &Table) {
        let columns = rows.columns();
        for i in 0..rows.len() {
            let (t, at) = (columns[0].data[i], |k: usize| columns[k].data[i]);
            for (k, peak) in self.energy_balance.iter_mut().chain(&mut self.kinetic_energy) {
                peak.update(at(*k).abs(), t);
            }
            for level in &mut self.residual_levels {
                let before = level.worst;
                level.worst.update(at(level.columns[0]), t);
                if level.worst != before {
                    level.row = at(level.columns[1]) as usize;
                }
            }
            for r in &mut self.reactions {
                for v in std::iter::once(&mut r.force).chain(&mut r.moment) {
                    let [x, y, z] = v.columns.map(at);
                    v.peak.update(x.hypot(y).hypot(z), t);
                }
            }
            for c in &mut self.contacts {
                c.impulse = at(c.columns[0]);
                let depth = -at(c.columns[1]);
                if depth > c.largest_overlap.value {
                    c.largest_overlap = Peak { value: depth, t };
                }
            }
            for d in &mut self.driver_efforts {
                let x = at(d.column);
                if x < d.minimum.value {
                    d.minimum = Peak { value: x, t };
                }
                if x > d.maximum.value {
                    d.maximum = Peak { value: x, t };
                }
            }
        }
        self.rows += rows.len();
    }

    /// Adds rows sampled at peaks, which are not part of the table and are not counted.
    pub fn add_peaks(&mut self, rows: &Table) {
        let counted = self.rows;
        self.add_rows(rows);
        self.rows = counted;
    }

    /// Sets whether the extremes are those of the motion or of the rows alone.
    pub fn set_coverage(&mut self, coverage: Coverage) {
        self.coverage = if self.resumed { Coverage::Rows } else { coverage };
    }

    /// Marks the joints whose reactions are not all unique at a state of the run.
    pub fn mark_determinacy(&mut self, model: &Model, state: &State) {
        let Ok(labels) = joint_determinacy(model, state) else {
            self.not_examined = true;
            return;
        };
        self.examined = true;
        for (name, label) in labels.into_iter().filter(|(_, label)| *label != JointDeterminacy::Unique) {
            let worst = self.open.entry(name).or_insert(label);
            *worst = if *worst == JointDeterminacy::NotUnique { *worst } else { label };
        }
    }

    /// Marks the joints whose reactions are not all unique at the present state of a run, or where its contacts and locks first
    /// had another combination of modes.
    pub fn mark_run(&mut self, model: &Model, run: &dyn Run) {
        self.mark_determinacy(model, &run.state());
        run.log().mode_states().iter().for_each(|state| self.mark_determinacy(model, state));
    }

    /// What to write beside the reaction of a joint or of one of its markers; nothing if it is unique.
    pub fn determinacy_remark(&self, reaction: &str) -> Option<String> {
        let of = |(name, label): (&String, &JointDeterminacy)| {
            let own = reaction.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            own.then(|| label.to_string())
        };
        // Time stepping does not tell which contacts are closed.
        let stepped = self.contacts.iter().any(|c| of((&c.name, &JointDeterminacy::NotExamined)).is_some());
        let unknown =
            || (self.not_examined || !self.examined || stepped).then(|| JointDeterminacy::NotExamined.to_string());
        self.open.iter().find_map(of).or_else(unknown)
    }

    /// Whether a column is needed here; the time always is.
    pub fn needs_column(&self, name: &str) -> bool {
        self.names.iter().any(|n| n == name)
    }

    /// Merges the extremes of earlier rows of the same run.
    pub fn merge_earlier(&mut self, earlier: &Extremes) {
        self.rows += earlier.rows;
        self.resumed = true;
        let pairs =
            [(&mut self.energy_balance, earlier.energy_balance), (&mut self.kinetic_energy, earlier.kinetic_energy)];
        for (own, other) in pairs {
            own.iter_mut().zip(other).for_each(|((_, own), (_, other))| own.update(other.value, other.t));
        }
        for own in &mut self.residual_levels {
            let before = own.worst;
            if let Some(other) = earlier.residual_levels.iter().find(|l| l.name == own.name) {
                own.worst.update(other.worst.value, other.worst.t);
                own.row = if own.worst == before { own.row } else { other.row };
            }
        }
        for own in &mut self.reactions {
            let Some(other) = earlier.reactions.iter().find(|r| r.force.name == own.force.name) else { continue };
            own.force.peak.update(other.force.peak.value, other.force.peak.t);
            let moments = own.moment.iter_mut().zip(&other.moment);
            moments.for_each(|(own, other)| own.peak.update(other.peak.value, other.peak.t));
        }
        for own in &mut self.contacts {
            let Some(other) = earlier.contacts.iter().find(|c| c.name == own.name) else { continue };
            own.impulse = if self.rows == earlier.rows { other.impulse } else { own.impulse };
            own.largest_overlap = if other.largest_overlap.value >= own.largest_overlap.value {
                other.largest_overlap
            } else {
                own.largest_overlap
            };
        }
        for own in &mut self.driver_efforts {
            if let Some(other) = earlier.driver_efforts.iter().find(|d| d.name == own.name) {
                own.minimum = if other.minimum.value <= own.minimum.value { other.minimum } else { own.minimum };
                own.maximum = if other.maximum.value >= own.maximum.value { other.maximum } else { own.maximum };
            }
        }
    }

    /// Largest position residual so far.
    pub fn largest_position_residual(&self) -> Option<f64> {
        self.residual_levels.iter().find(|l| l.name == "position").map(|l| l.worst.value)
    }
}
