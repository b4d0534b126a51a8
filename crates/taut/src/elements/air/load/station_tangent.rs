//! Derivatives of the loads of one station: dual numbers for its section, the chain rule for its motion.
//!
//! ```text
//!  g = v − wind(p) + z v_i        U_T = g·l    U_P = g·n        dU_T = dg·l + g·(dφ × l)
//!  dF = dφ × F + (l dF_l + n dF_n) length                       F_l, F_n, M: functions of U_T, U_P, θ, θ̇ and the states
//! ```

use super::super::disc::{DiscFrame, FrameChange};
use super::super::inflow::Annulus;
use super::super::line::StationChange;
use super::super::section::SectionFlow;
use super::super::unsteady::{MAX_LAGS, PolarPoint, SectionMotion};
use super::AirLoad;
use super::sweep::Visit;
use crate::motion::{Mat3, Vec3};
use crate::scalar::Dual;

/// U_T, U_P, θ, its rate, and the states.
const INPUTS: usize = 4 + MAX_LAGS;
type SectionDual = Dual<INPUTS>;

/// What may change a station besides its motion.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Influence {
    pub induced: f64,
    pub pitch: f64,
    pub lags: [f64; MAX_LAGS],
}

/// The change of what a station contributes.
#[derive(Clone, Copy, Debug)]
pub(super) struct StationResponse {
    pub force: Vec3,
    pub moment: Vec3,
    /// Thrust, and thrust weighted with x/R and y/R.
    pub loads: [f64; 3],
    /// Rates of the states.
    pub rates: [f64; MAX_LAGS],
    /// U_T and U_P.
    flow: [f64; 2],
    /// r/R.
    radius: f64,
}

/// The momentum equation of the annulus of a station, m(v, r/R, V_x, V_z, |U_P/U_T|) = N F_z.
#[derive(Clone, Copy, Debug)]
struct AnnulusTangent {
    /// Derivatives of m.
    momentum: [f64; 5],
    blades: f64,
    /// Derivative of m − N F_z by v, with all that depends on it.
    slope: f64,
}

/// The derivatives of a station.
pub(super) struct StationTangent<'a> {
    visit: &'a Visit<'a>,
    frame: Option<&'a DiscFrame>,
    wind: Mat3,
    /// Derivative of the induced velocity by x/R and y/R.
    slope: [f64; 2],
    induced: f64,
    /// g, F and M.
    flow: Vec3,
    pub force: Vec3,
    moment: Vec3,
    /// F_l, F_n and M by length, and the rates of the states.
    outputs: [SectionDual; 3 + MAX_LAGS],
    annulus: Option<AnnulusTangent>,
}

impl<'a> StationTangent<'a> {
    /// At an induced velocity, and its slope over the disc.
    pub fn new(
        load: &AirLoad,
        visit: &'a Visit<'a>,
        (frame, wind): (Option<&'a DiscFrame>, Mat3),
        induced: f64,
        slope: [f64; 2],
    ) -> StationTangent<'a> {
        let z = frame.map_or(Vec3::zeros(), |f| f.z);
        let (motion, air) = (&visit.motion, &visit.bound.air);
        let flow = visit.relative + z * induced;
        let [tangential, normal, pitch, pitch_rate, ..] = Dual::variables([
            flow.dot(&motion.leading),
            flow.dot(&motion.normal),
            visit.pitch,
            motion.w.dot(&motion.span),
            0.0,
            0.0,
        ]);
        let (chord, density) = (visit.station.chord, air.density);
        let seen = SectionMotion { flow: SectionFlow { tangential, normal }, pitch, pitch_rate, chord, density };
        let mut lags = [SectionDual::constant(0.0); MAX_LAGS];
        for (i, z) in visit.lags.iter().enumerate() {
            lags[i] = Dual::variable(*z, 4 + i);
        }
        let lags = &lags[..visit.lags.len()];
        let loads = visit.section_loads(load, &seen, lags);
        let mut outputs = [SectionDual::constant(0.0); 3 + MAX_LAGS];
        outputs[..3].copy_from_slice(&[loads.forward, loads.normal, loads.moment]);
        let point = PolarPoint { polar: &load.polars[visit.station.polar], alpha: loads.alpha, mach: loads.mach };
        visit.line.unsteady.state_rates(&seen, &point, lags, &mut outputs[3..3 + lags.len()]);
        let length = visit.station.length;
        StationTangent {
            visit,
            frame,
            wind,
            slope,
            induced,
            flow,
            force: (motion.leading * loads.forward.re + motion.normal * loads.normal.re) * length,
            moment: motion.span * (loads.moment.re * length),
            outputs,
            annulus: None,
        }
    }

    /// The same where the induced velocity solves the equation of an annulus.
    pub fn in_annulus(mut self, annulus: &Annulus) -> StationTangent<'a> {
        let [tangential, normal] = self.section_flow();
        let angle = (normal / tangential).abs();
        let variables = [self.induced, annulus.relative_radius, annulus.in_plane, annulus.through, angle];
        let momentum = annulus.momentum(Dual::<5>::variables(variables)).eps;
        let mut found = AnnulusTangent { momentum, blades: annulus.blades, slope: 1.0 };
        let by_v = self.respond_at(&StationChange::default(), None, Influence { induced: 1.0, ..Influence::default() });
        found.slope = momentum[0] + self.annulus_change(&found, &by_v);
        self.annulus = Some(found);
        self
    }

    /// U_T and U_P.
    fn section_flow(&self) -> [f64; 2] {
        [&self.visit.motion.leading, &self.visit.motion.normal].map(|axis| self.flow.dot(axis))
    }

    /// Change of m − N F_z at a fixed induced velocity and stream.
    fn annulus_change(&self, annulus: &AnnulusTangent, response: &StationResponse) -> f64 {
        let [tangential, normal] = self.section_flow();
        let [by_tangential, by_normal] = response.flow;
        let by_angle = (normal / tangential).signum() * (by_normal - normal / tangential * by_tangential) / tangential;
        let thrust = response.loads[0] / self.visit.station.length;
        annulus.momentum[1] * response.radius + annulus.momentum[4] * by_angle - annulus.blades * thrust
    }

    /// Derivatives of the induced velocity of an annulus by V_x and V_z.
    pub fn by_stream(&self) -> [f64; 2] {
        self.annulus.map_or([0.0; 2], |annulus| [2, 3].map(|i| -annulus.momentum[i] / annulus.slope))
    }

    /// The change of the loads along a change of the motion, of the disc, and of the rest.
    pub fn respond(&self, change: &StationChange, disc: Option<&FrameChange>, more: Influence) -> StationResponse {
        let fixed = self.respond_at(change, disc, more);
        let Some(annulus) = &self.annulus else { return fixed };
        let induced = more.induced - self.annulus_change(annulus, &fixed) / annulus.slope;
        self.respond_at(change, disc, Influence { induced, ..more })
    }

    /// The same; the annulus does not react.
    pub fn respond_at(&self, change: &StationChange, disc: Option<&FrameChange>, more: Influence) -> StationResponse {
        let (motion, length) = (&self.visit.motion, self.visit.station.length);
        let none =
            FrameChange { p: Vec3::zeros(), x: Vec3::zeros(), y: Vec3::zeros(), z: Vec3::zeros(), stream: [0.0; 4] };
        let disc = disc.unwrap_or(&none);
        let mut place = [0.0; 2];
        let mut moved = [0.0; 2];
        if let Some(frame) = self.frame {
            place = frame.place(&motion.p);
            let (d, dd) = (motion.p - frame.p, change.p - disc.p);
            moved = [(&frame.x, &disc.x), (&frame.y, &disc.y)].map(|(e, de)| (dd.dot(e) + d.dot(de)) / frame.radius);
        }
        let radius = match place[0].hypot(place[1]) {
            r if r > 0.0 => (place[0] * moved[0] + place[1] * moved[1]) / r,
            _ => 0.0,
        };
        let z = self.frame.map_or(Vec3::zeros(), |f| f.z);
        let induced = more.induced + self.slope[0] * moved[0] + self.slope[1] * moved[1];
        let flow = change.v - self.wind * change.p + z * induced + disc.z * self.induced;
        let along = |axis: &Vec3| flow.dot(axis) + self.flow.dot(&change.turn.cross(axis));
        let pitch_rate = change.w.dot(&motion.span) + motion.w.dot(&change.turn.cross(&motion.span));
        let mut inputs = [along(&motion.leading), along(&motion.normal), more.pitch, pitch_rate, 0.0, 0.0];
        inputs[4..].copy_from_slice(&more.lags);
        let [forward, normal, moment, rates @ ..] =
            self.outputs.map(|out| out.eps.iter().zip(&inputs).map(|(slope, x)| slope * x).sum::<f64>());
        let force = change.turn.cross(&self.force) + (motion.leading * forward + motion.normal * normal) * length;
        let thrust = force.dot(&z) + self.force.dot(&disc.z);
        let axial = self.force.dot(&z);
        StationResponse {
            force,
            moment: change.turn.cross(&self.moment) + motion.span * (moment * length),
            loads: [thrust, moved[0] * axial + place[0] * thrust, moved[1] * axial + place[1] * thrust],
            rates,
            flow: [inputs[0], inputs[1]],
            radius,
        }
    }
}
