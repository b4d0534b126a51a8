//! One sweep over all stations.

use super::super::disc::DiscFrame;
use super::super::inflow::{
    Annulus, DiscLoads, Inflow, LinearField, TipLoss, annular_velocity, lagged_mean_rate, pitt_peters_rates,
};
use super::super::line::{Line, Station, StationMotion};
use super::super::momentum::{Tangent, Validity};
use super::super::section::{AirSection, SectionFlow, SectionLoads};
use super::super::unsteady::{MAX_LAGS, PolarPoint, SectionMotion};
use super::{AirLoad, Bound, Part};
use crate::constraints::ElementInput;
use crate::motion::{Vec3, Wrench};
use crate::scalar::Scalar;

/// Tangents of the thrust before bisection takes over.
const MAX_TANGENTS: usize = 12;

/// The induced velocity of a disc.
#[derive(Clone, Copy, Debug)]
pub(super) enum Induced {
    Linear(LinearField<f64>),
    Prescribed,
    Annular(TipLoss),
}

/// A station with its motion, before induced velocity.
pub(super) struct Visit<'a> {
    pub bound: &'a Bound,
    pub line: &'a Line,
    pub station: &'a Station,
    pub motion: StationMotion,
    /// Velocity relative to the wind.
    pub relative: Vec3,
    pub pitch: f64,
    pub lags: &'a [f64],
    /// The first of its states.
    pub state: usize,
}

/// What a station contributes.
pub(crate) struct StationResult<'a> {
    pub line: usize,
    pub station: &'a Station,
    pub loads: SectionLoads<f64>,
    pub force: Vec3,
    /// Induced velocity against the axis of the disc.
    pub induced: f64,
    /// Quarter-chord point.
    pub p: Vec3,
    /// Velocity of the air with induced velocity.
    pub air: Vec3,
    /// Radius and azimuth in the disc.
    pub place: Option<[f64; 2]>,
}

/// Sums over a sweep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sums {
    pub force: Vec3,
    /// About the hub.
    pub moment: Vec3,
    pub loads: DiscLoads,
    /// ∫ v r dr and ∫ r dr.
    inflow: [f64; 2],
    pub frame: Option<DiscFrame>,
    pub validity: Validity,
}

impl Sums {
    /// The mean induced velocity.
    pub fn mean_inflow(&self) -> f64 {
        if self.inflow[1] > 0.0 { self.inflow[0] / self.inflow[1] } else { 0.0 }
    }
}

impl Visit<'_> {
    /// The motion relative to the air with an induced velocity against `z`.
    fn section_motion<S: Scalar>(&self, density: f64, induced: S, z: &Vec3) -> SectionMotion<S> {
        let StationMotion { leading, normal, span, w, .. } = &self.motion;
        let flow = SectionFlow {
            tangential: induced * z.dot(leading) + self.relative.dot(leading),
            normal: induced * z.dot(normal) + self.relative.dot(normal),
        };
        let (pitch, pitch_rate) = (self.pitch.into(), w.dot(span).into());
        SectionMotion { flow, pitch, pitch_rate, chord: self.station.chord, density }
    }

    fn loads<S: Scalar>(&self, load: &AirLoad, induced: S, z: &Vec3) -> (SectionMotion<S>, SectionLoads<S>) {
        let motion = self.section_motion(self.bound.air.density, induced, z);
        let mut lags = [S::from(0.0); MAX_LAGS];
        lags.iter_mut().zip(self.lags).for_each(|(lag, z)| *lag = S::from(*z));
        let loads = self.section_loads(load, &motion, &lags[..self.lags.len()]);
        (motion, loads)
    }

    /// The loads of a motion and of states of the section.
    pub(super) fn section_loads<S: Scalar>(
        &self,
        load: &AirLoad,
        motion: &SectionMotion<S>,
        lags: &[S],
    ) -> SectionLoads<S> {
        let air = &self.bound.air;
        let response = self.line.unsteady.response(motion, lags);
        let (polar, chord) = (&load.polars[self.station.polar], self.station.chord);
        let section = AirSection { polar, chord, density: air.density, speed_of_sound: air.sound };
        let mut loads = section.loads(motion.flow, response.alpha, self.line.unsteady, lags);
        loads.forward += response.forward;
        loads.normal += response.normal;
        loads.moment += response.moment;
        loads
    }

    /// Load per length along z.
    fn axial_load<S: Scalar>(&self, load: &AirLoad, induced: S, z: &Vec3) -> (SectionMotion<S>, S) {
        let (motion, loads) = self.loads(load, induced, z);
        (motion, loads.forward * z.dot(&self.motion.leading) + loads.normal * z.dot(&self.motion.normal))
    }
}

impl AirLoad {
    /// Calls `visit` for every station of a part.
    pub(super) fn for_each_station<'a>(
        &'a self,
        bound: &'a Bound,
        at: &ElementInput<'a>,
        part: Part,
        mut visit: impl FnMut(usize, Visit<'a>),
    ) {
        let mut state = bound.counters + self.inflow_states();
        for (l, line) in self.lines.iter().enumerate() {
            let count = line.unsteady.state_count();
            if !part.has_line(line, bound.controls[l].as_ref()) {
                state += count * line.stations.len();
                continue;
            }
            let control = bound.controls[l].as_ref().map_or(0.0, |c| c.value(at, &[at.t]));
            for station in &line.stations {
                let first = state;
                state += count;
                if !part.has_station(first, count) {
                    continue;
                }
                let motion = line.motion(at, station);
                let relative = motion.v - bound.air.wind(at, &motion.p);
                let lags = at.z.get(first..first + count).unwrap_or_default();
                let pitch = station.twist + control;
                visit(l, Visit { bound, line, station, motion, relative, pitch, lags, state: first });
            }
        }
    }

    pub(super) fn frame(&self, bound: &Bound, at: &ElementInput) -> Option<DiscFrame> {
        let disc = self.disc.as_ref()?;
        let hub = &at[self.carrier_count()];
        let z = hub.axis(2);
        let speed: f64 = self.lines.iter().map(|line| at[line.first_marker].w.dot(&z)).sum();
        Some(DiscFrame::new(hub, disc.radius, speed / self.lines.len() as f64, &bound.air, at))
    }

    /// The solution of the momentum equation of the whole disc.
    fn momentum(
        &self,
        bound: &Bound,
        at: &ElementInput,
        frame: &DiscFrame,
        field: impl Fn(Tangent) -> LinearField<Tangent>,
    ) -> (f64, Validity) {
        let thrust = |mean: Tangent| {
            let (mut sum, field) = (Tangent::from(0.0), field(mean));
            self.for_each_station(bound, at, Part::Whole, |_, visit| {
                let [x, y] = frame.place(&visit.motion.p);
                sum += visit.axial_load(self, field.at(x, y), &frame.z).1 * visit.station.length;
            });
            sum
        };
        // The thrust is nearly linear in v: solve with its tangent, which needs few sweeps.
        let (stream, mut v) = (frame.stream(), 0.0);
        for _ in 0..MAX_TANGENTS {
            let T = thrust(Tangent::variable(v, 0));
            let (next, validity) = stream.solve(|x| (x - v) * T.eps[0] + T.re, |_| 1.0.into());
            // Quadratic convergence: the error of `next` is far below this.
            if (next - v).abs() <= 1e-9 * next.abs() {
                return (next, validity);
            }
            v = next;
        }
        stream.solve(thrust, |_| 1.0.into())
    }

    pub(super) fn induced(&self, bound: &Bound, at: &ElementInput, frame: &DiscFrame) -> (Induced, Validity) {
        let z = at.z.get(bound.counters..bound.counters + self.inflow_states()).unwrap_or_default();
        let uniform = |mean| Induced::Linear(LinearField::uniform(mean));
        let inflow = self.disc.as_ref().map_or(&Inflow::None, |d| &d.inflow);
        match (inflow, z) {
            (Inflow::None, _) => (uniform(0.0), Validity::Holds),
            (Inflow::Prescribed { .. }, _) => (Induced::Prescribed, Validity::Holds),
            (Inflow::Annular { tip_loss }, _) => (Induced::Annular(*tip_loss), Validity::Holds),
            (Inflow::Uniform { time_constant: Some(_) }, [mean]) => (uniform(*mean), Validity::Holds),
            (Inflow::PittPeters { .. }, [mean, sine, cosine]) => {
                (Induced::Linear(LinearField { mean: *mean, along_x: *cosine, along_y: *sine }), Validity::Holds)
            }
            (Inflow::Linear { law }, _) => {
                let stream = frame.components();
                let constant = stream.map(|x, _| Tangent::from(x));
                let (mean, validity) = self.momentum(bound, at, frame, |v| LinearField::of_law(*law, v, &constant));
                (Induced::Linear(LinearField::of_law(*law, mean, &stream)), validity)
            }
            // Also where states are not known yet.
            (Inflow::Uniform { .. } | Inflow::PittPeters { .. }, _) => {
                let (mean, validity) = self.momentum(bound, at, frame, LinearField::uniform);
                (uniform(mean), validity)
            }
        }
    }

    /// The annulus at r/R.
    pub(super) fn annulus(&self, frame: &DiscFrame, relative_radius: f64, tip_loss: TipLoss) -> Annulus {
        Annulus {
            in_plane: frame.in_plane,
            through: frame.through,
            density: frame.density,
            radius: relative_radius * frame.radius,
            relative_radius,
            blades: self.blade_count(),
            tip_loss,
        }
    }

    /// The induced velocity at a station.
    pub(super) fn induced_at(
        &self,
        induced: &Induced,
        visit: &Visit,
        at: &ElementInput,
        frame: &DiscFrame,
    ) -> (f64, Validity) {
        let [x, y] = frame.place(&visit.motion.p);
        match induced {
            Induced::Linear(field) => (field.at(x, y), Validity::Holds),
            Induced::Prescribed => {
                let [_, psi] = frame.polar_place(&visit.motion.p);
                let given = [x.hypot(y), psi, at.t];
                (visit.bound.prescribed.as_ref().map_or(0.0, |field| field.value(at, &given)), Validity::Holds)
            }
            Induced::Annular(tip_loss) => {
                let annulus = self.annulus(frame, x.hypot(y), *tip_loss);
                annular_velocity(&annulus, |v| {
                    let (motion, load) = visit.axial_load(self, v, &frame.z);
                    (load, (motion.flow.normal / motion.flow.tangential).abs())
                })
            }
        }
    }

    /// Adds wrenches, sets the rates of inflow and lags, and reports the stations of a part.
    pub(in super::super) fn sweep(
        &self,
        at: &ElementInput,
        part: Part,
        mut on: Option<&mut [Wrench]>,
        mut zdot: Option<&mut [f64]>,
        mut report: impl FnMut(StationResult),
    ) -> Option<Sums> {
        let bound = self.bound.as_deref()?;
        let frame = self.frame(bound, at);
        let (induced, validity) = match &frame {
            Some(frame) => self.induced(bound, at, frame),
            None => (Induced::Linear(LinearField::uniform(0.0)), Validity::Holds),
        };
        let (z_axis, origin) = frame.map_or((Vec3::zeros(), Vec3::zeros()), |f| (f.z, f.p));
        let mut sums = Sums {
            force: Vec3::zeros(),
            moment: Vec3::zeros(),
            loads: DiscLoads::default(),
            inflow: [0.0; 2],
            frame,
            validity,
        };
        self.for_each_station(bound, at, part, |l, visit| {
            let (station, motion) = (visit.station, &visit.motion);
            let (v, valid) =
                frame.as_ref().map_or((0.0, Validity::Holds), |f| self.induced_at(&induced, &visit, at, f));
            let (seen, loads) = visit.loads(self, v, &z_axis);
            let force = (motion.leading * loads.forward + motion.normal * loads.normal) * station.length;
            let moment = motion.span * (loads.moment * station.length);
            if let Some(on) = &mut on {
                visit.line.apply(at, station, &force, &moment, on);
            }
            if let Some(zdot) = &mut zdot {
                let own = visit.state..visit.state + visit.line.unsteady.state_count();
                let polar = &self.polars[station.polar];
                let point = PolarPoint { polar, alpha: loads.alpha, mach: loads.mach };
                visit.line.unsteady.state_rates(&seen, &point, visit.lags, &mut zdot[own]);
            }
            sums.force += force;
            sums.moment += (motion.p - origin).cross(&force) + moment;
            if valid == Validity::VortexRing {
                sums.validity = valid;
            }
            if let Some(frame) = &frame {
                let [x, y] = frame.place(&motion.p);
                let axial = force.dot(&z_axis);
                sums.loads.thrust += axial;
                sums.loads.along_x += x * axial;
                sums.loads.along_y += y * axial;
                let ring = (x * x + y * y).sqrt() * station.length;
                sums.inflow = [sums.inflow[0] + v * ring, sums.inflow[1] + ring];
            }
            let place = frame.as_ref().map(|f| f.polar_place(&motion.p));
            let air = motion.v - visit.relative - z_axis * v;
            report(StationResult { line: l, station, loads, force, induced: v, p: motion.p, air, place });
        });
        if let (Some(zdot), Some(frame)) = (zdot, &frame) {
            let states = bound.counters..bound.counters + self.inflow_states();
            self.inflow_rates(&at.z[states.clone()], frame, sums.loads, &mut zdot[states]);
        }
        Some(sums)
    }

    fn inflow_rates(&self, z: &[f64], frame: &DiscFrame, loads: DiscLoads, zdot: &mut [f64]) {
        match (self.disc.as_ref().map(|d| &d.inflow), z) {
            (Some(Inflow::Uniform { time_constant: Some(tau) }), [mean]) => {
                zdot[0] = lagged_mean_rate(&frame.components(), frame.stream().factor, *tau, *mean, loads.thrust);
            }
            (Some(Inflow::PittPeters { .. }), [mean, sine, cosine]) => {
                let size = (frame.radius, frame.density);
                zdot.copy_from_slice(&pitt_peters_rates(&frame.components(), size, [*mean, *sine, *cosine], loads));
            }
            _ => {}
        }
    }

    /// The states of a motion that has lasted for a long time, as far as they are not given.
    pub(super) fn steady_states(&self, at: &ElementInput, z: &mut [f64]) {
        let Some(bound) = self.bound.as_deref() else { return };
        let Some(frame) = self.frame(bound, at) else { return self.steady_lags(bound, at, None, z) };
        let (induced, _) = self.induced(bound, at, &frame);
        let inflow = &mut z[bound.counters..bound.counters + self.inflow_states()];
        match (self.disc.as_ref().map(|d| &d.inflow), induced) {
            (Some(Inflow::PittPeters { initial: Some(given) }), _) => inflow.copy_from_slice(given),
            (_, Induced::Linear(field)) if !inflow.is_empty() => inflow[0] = field.mean,
            _ => {}
        }
        self.steady_lags(bound, at, Some((&induced, &frame)), z);
    }

    fn steady_lags(&self, bound: &Bound, at: &ElementInput, disc: Option<(&Induced, &DiscFrame)>, z: &mut [f64]) {
        self.for_each_station(bound, at, Part::Whole, |_, visit| {
            let v = disc.map_or(0.0, |(induced, frame)| self.induced_at(induced, &visit, at, frame).0);
            let axis = disc.map_or(Vec3::zeros(), |(_, frame)| frame.z);
            let own = visit.state..visit.state + visit.line.unsteady.state_count();
            let motion: SectionMotion<f64> = visit.section_motion(bound.air.density, v, &axis);
            let polar = &self.polars[visit.station.polar];
            visit.line.unsteady.steady_states(&motion, polar, bound.air.sound, &mut z[own]);
        });
    }
}
