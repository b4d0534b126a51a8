//! Outputs: any column of a solution, by its name.
//!
//! A column is a function of pose, velocities, extra states, accelerations and multipliers. Its derivatives are differences of recorded
//! values.

use super::{Alive, LinearError, Linearised};
use crate::common::spelling::did_you_mean;
use crate::dynamics::{Dynamics, SolverSettings};
use crate::mathematics::stencils;
use crate::solution::{ColumnFamily, Columns, EnergyLosses, RecordedState, Recorder};

/// Step, relative to lengths of the mechanism, or rad; for velocities relative to a length per second.
const DIFFERENCE_STEP: f64 = 1e-3;

/// Derivatives of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearOutput {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// By ξ.
    pub by_xi: Vec<f64>,
    /// By dv.
    pub by_dv: Vec<f64>,
    /// By extra states.
    pub by_z: Vec<f64>,
    /// By v̇ in the world frame.
    pub by_vdot: Vec<f64>,
    /// By λ.
    pub by_lambda: Vec<f64>,
}

/// Pose, velocities, states, accelerations, multipliers.
#[derive(Clone)]
struct OutputPoint {
    q: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    vdot: Vec<f64>,
    lambda: Vec<f64>,
}

impl Linearised<'_> {
    /// Outputs by the names of their columns.
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn outputs(&self, names: &[&str]) -> Result<Vec<LinearOutput>, LinearError> {
        let (model, state) = (self.model, &self.state);
        let mut dynamics = Dynamics::at(model, state, &SolverSettings::default());
        let here = OutputPoint {
            q: state.q.clone(),
            v: state.v.clone(),
            z: state.z.clone(),
            vdot: self.vdot.clone(),
            lambda: self.lambda.clone(),
        };
        self.place_at(&mut dynamics, &here);
        let families = ColumnFamily::of_the_motion().filter(|family| *family != ColumnFamily::Contacts).collect();
        let mut recorder = Recorder::new(&dynamics, self.moment(&here), &Columns::Only(families));
        let mut places = Vec::with_capacity(names.len());
        for name in names {
            let columns = recorder.table.columns();
            let Some(i) = columns.iter().position(|c| c.name == *name) else {
                let hint = did_you_mean(name, columns.iter().map(|c| c.name.as_str()));
                return Err(LinearError::UnknownName { what: "column", name: (*name).to_string(), hint });
            };
            places.push(i);
        }
        let zeros = |n: usize| vec![0.0; n];
        let (n, m, nz) = (self.n(), model.rows.len(), model.sizes.z);
        let empty = |i: &usize| {
            let column = &recorder.table.columns()[*i];
            LinearOutput {
                name: column.name.clone(),
                unit: column.unit.clone(),
                by_xi: zeros(n),
                by_dv: zeros(n),
                by_z: zeros(nz),
                by_vdot: zeros(n),
                by_lambda: zeros(m),
            }
        };
        let mut outputs: Vec<LinearOutput> = places.iter().map(empty).collect();
        let mut read = |point: &OutputPoint| -> Vec<f64> {
            self.place_at(&mut dynamics, point);
            recorder.table.truncate(0);
            recorder.record(&dynamics, self.moment(point));
            places.iter().map(|i| recorder.table.columns()[*i].data[0]).collect()
        };
        let bodies = super::pencil::bodies_of_velocities(self);
        let scales = self.displacement_scales();
        for (offset, weight) in stencils::FOURTH_ORDER {
            for i in 0..n {
                let step = DIFFERENCE_STEP * scales[i];
                let b = &model.bodies[bodies[i]];
                let mut moved = here.clone();
                let mut delta = zeros(b.v.len());
                delta[i - b.v.start] = offset * step;
                b.kind.body().displace(&mut moved.q[b.q.clone()], &delta);
                outputs.iter_mut().zip(read(&moved)).for_each(|(o, y)| o.by_xi[i] += weight / step * y);
                let step = step.max(DIFFERENCE_STEP * here.v[i].abs());
                let mut moved = here.clone();
                moved.v[i] += offset * step;
                outputs.iter_mut().zip(read(&moved)).for_each(|(o, y)| o.by_dv[i] += weight / step * y);
            }
            for i in (0..nz).filter(|z| self.active_states[*z] == Alive::Yes) {
                let step = DIFFERENCE_STEP * here.z[i].abs().max(1.0);
                let mut moved = here.clone();
                moved.z[i] += offset * step;
                outputs.iter_mut().zip(read(&moved)).for_each(|(o, y)| o.by_z[i] += weight / step * y);
            }
        }
        // Columns are linear in accelerations and multipliers: a step of any size is exact.
        for weight in [-0.5, 0.5] {
            for i in 0..n {
                let mut moved = here.clone();
                moved.vdot[i] += 2.0 * weight;
                outputs.iter_mut().zip(read(&moved)).for_each(|(o, y)| o.by_vdot[i] += weight * y);
            }
            for i in 0..m {
                let mut moved = here.clone();
                moved.lambda[i] += 2.0 * weight;
                outputs.iter_mut().zip(read(&moved)).for_each(|(o, y)| o.by_lambda[i] += weight * y);
            }
        }
        // v̇ is dv' + Q dv + R ξ.
        for (b, R) in model.bodies.iter().zip(&self.second_order_terms) {
            let Some(R) = R else { continue };
            for o in &mut outputs {
                let by = nalgebra::RowDVector::from_row_slice(&o.by_vdot[b.v.clone()]) * R;
                o.by_xi[b.v.clone()].iter_mut().zip(by.iter()).for_each(|(x, by)| *x += by);
            }
        }
        Ok(outputs)
    }

    fn place_at(&self, dynamics: &mut Dynamics, at: &OutputPoint) {
        dynamics.assemble_positions(self.state.t, &at.q, &at.v, &at.z);
        dynamics.vdot.copy_from_slice(&at.vdot);
        dynamics.lambda.copy_from_slice(&at.lambda);
    }

    fn moment<'a>(&self, at: &'a OutputPoint) -> RecordedState<'a> {
        let lost = EnergyLosses::default();
        RecordedState {
            t: self.state.t,
            q: &at.q,
            v: &at.v,
            z: &at.z,
            work: None,
            lost,
            energy_at_start: 0.0,
            step: 0.0,
            stepping_contacts: None,
            independent_rows: false,
        }
    }
}
