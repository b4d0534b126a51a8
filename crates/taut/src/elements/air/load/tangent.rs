//! Exact derivatives of an air load.
//!
//! ```text
//!  wrench on marker k = W_k(x, y)      x: motions of the markers, states of the stations
//!  dW_k = ∂W_k/∂x dx + ∂W_k/∂y dy      y: three parameters of the induced velocity, and the controls
//! ```
//!
//! Each station affects its own markers, at fixed y. All blades share y, whose derivatives follow once from those of the sums over
//! the stations; the cost is linear in stations and blades, except for the products ∂W_k/∂y ∂y/∂x_j.

use super::super::disc::{DiscFrame, FrameChange};
use super::super::inflow::{DiscLoads, Inflow, LinearField, lagged_mean_rate, pitt_peters_rates};
use super::super::momentum::mass_flow_speed;
use super::super::unsteady::{MAX_LAGS, Unsteady};
use super::gradient::{CONTROL, Gradient, SHARED, StationSums};
use super::station_tangent::{Influence, StationTangent};
use super::sweep::{Induced, Visit};
use super::{AirLoad, Bound};
use crate::constraints::ElementInput;
use crate::forces::{CoupledTangent, TangentAvailability};
use crate::motion::{Mat3, Vec3};
use crate::scalar::Dual;
use nalgebra::Vector6;

impl AirLoad {
    /// Adds all derivatives, unless a part of the load has none.
    pub(super) fn add_tangent(&self, at: &ElementInput, tangent: &mut CoupledTangent) -> TangentAvailability {
        let Some(bound) = self.bound.as_deref().filter(|bound| self.has_exact_derivatives(bound)) else {
            return TangentAvailability::Unavailable;
        };
        let sizes = (tangent.markers, tangent.states);
        let controls = self.control_gradients(bound, at, tangent);
        let frame = self.frame(bound, at);
        let hub = frame.as_ref().map(|frame| self.hub_changes(bound, at, frame)).unwrap_or_default();
        let induced = match &frame {
            Some(frame) => self.induced(bound, at, frame).0,
            None => Induced::Linear(LinearField::uniform(0.0)),
        };
        let mut sums = StationSums {
            wrenches: vec![[Vector6::zeros(); SHARED]; self.carrier_count()],
            rates: vec![[0.0; SHARED]; sizes.1],
            loads: std::array::from_fn(|_| Gradient::zeros(sizes.0, sizes.1)),
            loads_by_field: Mat3::zeros(),
            loads_by_control: vec![Vec3::zeros(); self.lines.len()],
            tangent,
        };
        self.for_each_station(bound, at, super::Part::Whole, |line, visit| {
            self.add_station(at, (line, &visit), (frame.as_ref(), &hub), &induced, &mut sums);
        });
        let StationSums { wrenches, rates, mut loads, loads_by_field, loads_by_control, .. } = sums;
        for (y, load) in loads.iter_mut().enumerate() {
            controls.iter().zip(&loads_by_control).for_each(|(control, slope)| load.add(slope[y], control));
        }
        if let Some(frame) = &frame {
            let stream = self.stream_gradients(frame, &hub, sizes);
            let field = self.field_gradients(bound, (frame, &induced), &stream, (&loads, &loads_by_field));
            for (i, load) in loads.iter_mut().enumerate() {
                (0..3).for_each(|y| load.add(loads_by_field[(i, y)], &field[y]));
            }
            self.spread(tangent, &field, |k| wrenches[k][..CONTROL].to_vec(), |s| rates[s][..CONTROL].to_vec());
            self.add_inflow_rates(bound, at, frame, &stream, &loads, tangent);
        }
        // Each line has its own control.
        for (line, control) in self.lines.iter().zip(&controls) {
            let own = line.first_marker..line.first_marker + line.markers.len();
            let states = self.line_states(bound, line);
            let wrench = |k: usize| vec![if own.contains(&k) { wrenches[k][CONTROL] } else { Vector6::zeros() }];
            let rate = |s: usize| vec![if states.contains(&s) { rates[s][CONTROL] } else { 0.0 }];
            self.spread(tangent, std::slice::from_ref(control), wrench, rate);
        }
        if tangent.is_finite() { TangentAvailability::Full } else { TangentAvailability::Unavailable }
    }

    /// Whether each part has exact derivatives.
    fn has_exact_derivatives(&self, bound: &Bound) -> bool {
        let reads_model = bound.prescribed.as_ref().and_then(|field| field.formula());
        // Slope and angle of zero lift are those of the present Mach number.
        let stall = self.lines.iter().filter(|line| line.unsteady == Unsteady::Stall);
        let mut polars = stall.flat_map(|line| &line.stations).map(|station| &self.polars[station.polar]);
        reads_model.is_none_or(|f| f.expression.names.marker_count() == 0)
            && !polars.any(|polar| polar.depends_on_mach())
    }

    /// The states of the stations of a line.
    fn line_states(&self, bound: &Bound, line: &super::Line) -> std::ops::Range<usize> {
        let count = |line: &super::Line| line.stations.len() * line.unsteady.state_count();
        let before = self.lines.iter().take_while(|other| other.name != line.name).map(count).sum::<usize>();
        let first = bound.counters + self.inflow_states() + before;
        first..first + count(line)
    }

    /// Derivatives of the controls; those of the rates of turn counters are added to the tangent.
    fn control_gradients(&self, bound: &Bound, at: &ElementInput, tangent: &mut CoupledTangent) -> Vec<Gradient> {
        let n = tangent.markers;
        let of_line = |control: &Option<super::FieldFormula>| {
            let mut gradient = Gradient::zeros(n, tangent.states);
            let Some(control) = control else { return gradient };
            control.for_each_marker(at, &[at.t], |marker, value, rates| {
                (0..12).for_each(|i| gradient.add_along(marker, i, value.eps[i]));
                for (counter, rate) in rates {
                    let place = counter * n + marker;
                    (0..6).for_each(|i| tangent.rates_by_pose[place][i] += rate.eps[i]);
                    (0..6).for_each(|i| tangent.rates_by_twist[place][i] += rate.eps[6 + i]);
                }
            });
            gradient
        };
        bound.controls.iter().map(of_line).collect()
    }

    /// Mean angular velocity of the blades.
    fn spin(&self, at: &ElementInput) -> Vec3 {
        let sum: Vec3 = self.lines.iter().map(|line| at[line.first_marker].w).sum();
        sum / self.lines.len() as f64
    }

    fn hub_changes(&self, bound: &Bound, at: &ElementInput, frame: &DiscFrame) -> Vec<FrameChange> {
        let spin = self.spin(at);
        (0..12).map(|i| frame.change(&at[self.carrier_count()], &bound.air, at, &spin, i)).collect()
    }

    /// Derivatives of the components of the stream.
    fn stream_gradients(&self, frame: &DiscFrame, hub: &[FrameChange], (n, m): (usize, usize)) -> [Gradient; 4] {
        let mut stream: [Gradient; 4] = std::array::from_fn(|_| Gradient::zeros(n, m));
        for (i, change) in hub.iter().enumerate() {
            stream.iter_mut().zip(change.stream).for_each(|(row, slope)| row.add_along(self.carrier_count(), i, slope));
        }
        let by_spin = frame.z * (frame.rotor_speed.signum() * frame.radius / self.lines.len() as f64);
        for line in &self.lines {
            (0..3).for_each(|i| stream[3].add_along(line.first_marker, 9 + i, by_spin[i]));
        }
        stream
    }

    /// Adds one station.
    fn add_station(
        &self,
        at: &ElementInput,
        (line, visit): (usize, &Visit),
        (frame, hub): (Option<&DiscFrame>, &[FrameChange]),
        induced: &Induced,
        sums: &mut StationSums,
    ) {
        let velocity = frame.map_or(0.0, |frame| self.induced_at(induced, visit, at, frame).0);
        let (mut by_field, slope) = match frame {
            Some(frame) => self.field_slopes(induced, visit, at, frame),
            None => ([0.0; 3], [0.0; 2]),
        };
        let wind = visit.bound.air.wind_gradient(at, &visit.motion.p);
        let mut station = StationTangent::new(self, visit, (frame, wind), velocity, slope);
        if let (Some(frame), Induced::Annular(tip_loss)) = (frame, induced) {
            let [x, y] = frame.place(&visit.motion.p);
            station = station.in_annulus(&self.annulus(frame, x.hypot(y), *tip_loss));
            by_field[..2].copy_from_slice(&station.by_stream());
        }
        visit.line.for_each_arm(visit.station, |arm, marker| {
            for i in 0..12 {
                let change = visit.line.change(at, visit.station, &visit.motion, (arm, i));
                let response = station.respond(&change, None, Influence::default());
                sums.add_motion(at, visit, (marker, i), &response);
                if i / 3 == 1 {
                    let turned = visit.line.turned_arm(at, visit.station, (arm, Vec3::ith(i % 3, 1.0)), &station.force);
                    let block = &mut sums.tangent.pose[marker * at.len() + marker];
                    (0..3).for_each(|c| block[(3 + c, i)] += turned[c]);
                }
            }
        });
        let still = super::super::line::StationChange::default();
        // The hub moves the axes; its velocity changes only the stream.
        for (i, change) in hub.iter().enumerate().take(6) {
            let response = station.respond(&still, Some(change), Influence::default());
            sums.add_motion(at, visit, (self.carrier_count(), i), &response);
        }
        for (y, induced) in by_field.into_iter().enumerate() {
            let response = station.respond_at(&still, None, Influence { induced, ..Influence::default() });
            sums.add_shared(at, visit, (line, y), &response);
        }
        if visit.bound.controls[line].is_some() {
            let response = station.respond(&still, None, Influence { pitch: 1.0, ..Influence::default() });
            sums.add_shared(at, visit, (line, CONTROL), &response);
        }
        for s in 0..visit.lags.len() {
            let mut lags = [0.0; MAX_LAGS];
            lags[s] = 1.0;
            let response = station.respond(&still, None, Influence { lags, ..Influence::default() });
            sums.add_state(at, visit, visit.state + s, &response);
        }
    }

    /// Derivatives of the induced velocity at a station: by the parameters of the field, and by its place x/R, y/R.
    fn field_slopes(
        &self,
        induced: &Induced,
        visit: &Visit,
        at: &ElementInput,
        frame: &DiscFrame,
    ) -> ([f64; 3], [f64; 2]) {
        let [x, y] = frame.place(&visit.motion.p);
        let formula = visit.bound.prescribed.as_ref().and_then(|field| field.formula());
        match (induced, formula) {
            (Induced::Linear(field), _) => ([1.0, x, y], [field.along_x, field.along_y]),
            (Induced::Prescribed, Some(formula)) => {
                let (r, [_, psi]) = (x.hypot(y), frame.polar_place(&visit.motion.p));
                let [by_r, by_psi, ..] = formula.gradient(at, &[r, psi, at.t]).eps;
                let slope = match r > 0.0 {
                    true => [by_r * x / r - by_psi * y / (r * r), by_r * y / r + by_psi * x / (r * r)],
                    false => [0.0; 2],
                };
                // The first parameter is the direction downwind.
                ([-by_psi, 0.0, 0.0], slope)
            }
            _ => ([0.0; 3], [0.0; 2]),
        }
    }

    /// Derivatives of the parameters of the induced velocity: mean and gradient of a linear field, the direction downwind of a
    /// prescribed one, or the stream through annuli.
    fn field_gradients(
        &self,
        bound: &Bound,
        (frame, induced): (&DiscFrame, &Induced),
        stream: &[Gradient; 4],
        (loads, by_field): (&[Gradient; 3], &Mat3),
    ) -> [Gradient; 3] {
        let sizes = (stream[0].pose.len(), stream[0].states.len());
        let mut field: [Gradient; 3] = std::array::from_fn(|_| Gradient::zeros(sizes.0, sizes.1));
        let here = frame.components();
        match (self.disc.as_ref().map(|d| &d.inflow), induced) {
            (Some(Inflow::Prescribed { .. }), _) => {
                let squared = here.in_plane_squared();
                if squared > 0.0 {
                    field[0].add(here.along_x / squared, &stream[1]);
                    field[0].add(-here.along_y / squared, &stream[0]);
                }
            }
            // V_x and V_z.
            (Some(Inflow::Annular { .. }), _) => {
                let in_plane = here.in_plane();
                if in_plane > 0.0 {
                    field[0].add(here.along_x / in_plane, &stream[0]);
                    field[0].add(here.along_y / in_plane, &stream[1]);
                }
                field[1].add(1.0, &stream[2]);
            }
            (Some(Inflow::Uniform { time_constant: Some(_) }), _) => field[0].states[bound.counters] = 1.0,
            (Some(Inflow::PittPeters { .. }), _) => {
                // Mean, sine along y, cosine along x.
                for (y, state) in [(0, 0), (1, 2), (2, 1)] {
                    field[y].states[bound.counters + state] = 1.0;
                }
            }
            (Some(Inflow::Uniform { .. } | Inflow::Linear { .. }), Induced::Linear(now)) => {
                // k v √(V_x² + (V_z + v)²) = T, and the field as a function of v and the stream.
                let v = Dual::<5>::variable(now.mean, 4);
                let seen = here.map(Dual::<5>::variable);
                let law = match self.disc.as_ref().map(|d| &d.inflow) {
                    Some(Inflow::Linear { law }) => LinearField::of_law(*law, v, &seen),
                    _ => LinearField::uniform(v),
                };
                let flow = mass_flow_speed(seen.in_plane_squared(), seen.through + v);
                let momentum = v * frame.stream().factor * flow;
                let parameters = [law.mean, law.along_x, law.along_y];
                let thrust = |k: usize| (0..3).map(|y| by_field[(0, y)] * parameters[y].eps[k]).sum::<f64>();
                let slope = momentum.eps[4] - thrust(4);
                let by_stream = (0..4).map(|k| ((thrust(k) - momentum.eps[k]) / slope, &stream[k]));
                let mean = Gradient::sum(sizes, by_stream.chain([(1.0 / slope, &loads[0])]));
                for (row, parameter) in field.iter_mut().zip(&parameters) {
                    row.add(parameter.eps[4], &mean);
                    (0..4).for_each(|k| row.add(parameter.eps[k], &stream[k]));
                }
            }
            _ => {}
        }
        field
    }

    /// Adds products of derivatives by shared numbers and of the derivatives of these.
    fn spread(
        &self,
        tangent: &mut CoupledTangent,
        shared: &[Gradient],
        wrenches: impl Fn(usize) -> Vec<Vector6<f64>>,
        rates: impl Fn(usize) -> Vec<f64>,
    ) {
        let (n, m) = (tangent.markers, tangent.states);
        for k in 0..self.carrier_count() {
            for (wrench, of) in wrenches(k).iter().zip(shared).filter(|(wrench, _)| **wrench != Vector6::zeros()) {
                for j in 0..n {
                    tangent.pose[k * n + j].ger(1.0, wrench, &of.pose[j], 1.0);
                    tangent.twist[k * n + j].ger(1.0, wrench, &of.twist[j], 1.0);
                }
                (0..m).for_each(|s| tangent.by_state[k * m + s] += wrench * of.states[s]);
            }
        }
        for s in 0..m {
            for (rate, of) in rates(s).iter().zip(shared) {
                tangent.add_rate(s, *rate, &of.pose, &of.twist, &of.states);
            }
        }
    }

    /// Derivatives of the rates of the inflow.
    fn add_inflow_rates(
        &self,
        bound: &Bound,
        at: &ElementInput,
        frame: &DiscFrame,
        stream: &[Gradient; 4],
        loads: &[Gradient; 3],
        tangent: &mut CoupledTangent,
    ) {
        let first = bound.counters;
        let z = &at.z[first..first + self.inflow_states()];
        let sums = self.sweep(at, super::Part::Whole, None, None, |_| {}).map(|sums| sums.loads).unwrap_or_default();
        // Stream, states, loads.
        let seen = frame.components().map(Dual::<10>::variable);
        let load = [(sums.thrust, 7), (sums.along_x, 8), (sums.along_y, 9)].map(|(x, i)| Dual::<10>::variable(x, i));
        let state = |i: usize| Dual::<10>::variable(z[i], 4 + i);
        let rates = match (self.disc.as_ref().map(|d| &d.inflow), z.len()) {
            (Some(Inflow::Uniform { time_constant: Some(tau) }), 1) => {
                vec![lagged_mean_rate(&seen, frame.stream().factor, *tau, state(0), load[0])]
            }
            (Some(Inflow::PittPeters { .. }), 3) => {
                let loads = DiscLoads { thrust: load[0], along_x: load[1], along_y: load[2] };
                pitt_peters_rates(&seen, (frame.radius, frame.density), [0, 1, 2].map(state), loads).to_vec()
            }
            _ => Vec::new(),
        };
        for (i, rate) in rates.iter().enumerate() {
            for (slope, of) in rate.eps.iter().zip(stream).chain(rate.eps[7..].iter().zip(loads)) {
                tangent.add_rate(first + i, *slope, &of.pose, &of.twist, &of.states);
            }
            for j in 0..z.len() {
                tangent.rates_by_state[(first + i) * tangent.states + first + j] += rate.eps[4 + j];
            }
        }
    }
}

#[cfg(test)]
mod tests;
