//! Linear functions of what an air load depends on, and sums of the derivatives of its stations.

use super::station_tangent::StationResponse;
use super::sweep::Visit;
use crate::constraints::ElementInput;
use crate::forces::CoupledTangent;
use crate::motion::{Mat3, Vec3, Wrench};
use nalgebra::Vector6;

/// Parameters of the induced velocity, and the control of the station's own line.
pub(super) const SHARED: usize = 4;
pub(super) const CONTROL: usize = 3;

/// A linear function of poses, twists and states.
#[derive(Clone, Debug)]
pub(super) struct Gradient {
    pub pose: Vec<Vector6<f64>>,
    pub twist: Vec<Vector6<f64>>,
    pub states: Vec<f64>,
}

impl Gradient {
    pub fn zeros(markers: usize, states: usize) -> Gradient {
        let none = vec![Vector6::zeros(); markers];
        Gradient { pose: none.clone(), twist: none, states: vec![0.0; states] }
    }

    pub fn add(&mut self, factor: f64, other: &Gradient) {
        if factor == 0.0 {
            return;
        }
        self.pose.iter_mut().zip(&other.pose).for_each(|(a, b)| *a += b * factor);
        self.twist.iter_mut().zip(&other.twist).for_each(|(a, b)| *a += b * factor);
        self.states.iter_mut().zip(&other.states).for_each(|(a, b)| *a += b * factor);
    }

    /// Sets the derivative by direction i of a marker: 0–5 pose, 6–11 twist.
    pub fn add_along(&mut self, marker: usize, i: usize, slope: f64) {
        let rows = if i < 6 { &mut self.pose } else { &mut self.twist };
        rows[marker][i % 6] += slope;
    }

    pub fn sum<'a>(sizes: (usize, usize), parts: impl IntoIterator<Item = (f64, &'a Gradient)>) -> Gradient {
        let mut sum = Gradient::zeros(sizes.0, sizes.1);
        parts.into_iter().for_each(|(factor, part)| sum.add(factor, part));
        sum
    }
}

/// Sums over the stations.
pub(super) struct StationSums<'a> {
    pub tangent: &'a mut CoupledTangent,
    /// ∂W/∂y of each marker, and of the rates of each state.
    pub wrenches: Vec<[Vector6<f64>; SHARED]>,
    pub rates: Vec<[f64; SHARED]>,
    /// Thrust, and thrust by x/R and y/R, at fixed y; their derivatives by the induced velocity and by the controls.
    pub loads: [Gradient; 3],
    pub loads_by_field: Mat3,
    pub loads_by_control: Vec<Vec3>,
}

impl StationSums<'_> {
    /// The wrenches of a response on the arms of its station.
    pub fn wrenches(
        at: &ElementInput,
        visit: &Visit,
        response: &StationResponse,
        mut call: impl FnMut(usize, usize, Wrench),
    ) {
        visit.line.for_each_arm(visit.station, |arm, marker| {
            call(arm, marker, visit.line.arm_wrench(at, visit.station, arm, &response.force, &response.moment));
        });
    }

    /// A response to direction i of a marker.
    pub fn add_motion(
        &mut self,
        at: &ElementInput,
        visit: &Visit,
        (marker, i): (usize, usize),
        response: &StationResponse,
    ) {
        let (n, row) = (self.tangent.markers, i % 6);
        let CoupledTangent { pose, twist, rates_by_pose, rates_by_twist, .. } = &mut *self.tangent;
        let (blocks, rates) = if i < 6 { (pose, rates_by_pose) } else { (twist, rates_by_twist) };
        Self::wrenches(at, visit, response, |_, k, w| {
            let mut column = blocks[k * n + marker].column_mut(row);
            (0..3).for_each(|c| {
                column[c] += w.f[c];
                column[3 + c] += w.m[c];
            });
        });
        for s in 0..visit.lags.len() {
            rates[(visit.state + s) * n + marker][row] += response.rates[s];
        }
        self.loads.iter_mut().zip(response.loads).for_each(|(sum, load)| sum.add_along(marker, i, load));
    }

    /// A response to a shared number.
    pub fn add_shared(
        &mut self,
        at: &ElementInput,
        visit: &Visit,
        (line, y): (usize, usize),
        response: &StationResponse,
    ) {
        Self::wrenches(at, visit, response, |_, k, w| self.wrenches[k][y] += vector(&w));
        for s in 0..visit.lags.len() {
            self.rates[visit.state + s][y] += response.rates[s];
        }
        let loads = Vec3::from(response.loads);
        match y {
            CONTROL => self.loads_by_control[line] += loads,
            _ => self.loads_by_field.set_column(y, &(self.loads_by_field.column(y) + loads)),
        }
    }

    /// A response to a state of its own.
    pub fn add_state(&mut self, at: &ElementInput, visit: &Visit, state: usize, response: &StationResponse) {
        let states = self.tangent.states;
        let by_state = &mut self.tangent.by_state;
        Self::wrenches(at, visit, response, |_, k, w| by_state[k * states + state] += vector(&w));
        for s in 0..visit.lags.len() {
            self.tangent.rates_by_state[(visit.state + s) * states + state] += response.rates[s];
        }
        self.loads.iter_mut().zip(response.loads).for_each(|(sum, load)| sum.states[state] += load);
    }
}

fn vector(w: &Wrench) -> Vector6<f64> {
    Vector6::new(w.f.x, w.f.y, w.f.z, w.m.x, w.m.y, w.m.z)
}
