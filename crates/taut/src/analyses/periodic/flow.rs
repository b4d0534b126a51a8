//! The motion and its small motions over an interval.
//!
//! The interval is divided into panels. In each, four Lobatto nodes give y' = J(t) y in the coordinates y = L X of
//! [`tangent_flow`](crate::analyses::linear), with L of an inner node. One exponential of Magnus' series of sixth order solves it
//! (\[BlanesCasasRos2000\], section 4): with the moments B_i = h ∫ sⁱ J ds over −½ ≤ s ≤ ½,
//!
//! ```text
//!  α₁ = 9/4 B₀ − 15 B₂,   α₂ = 12 B₁,   α₃ = −15 B₀ + 180 B₂
//!  C₁ = [α₁, α₂],   C₂ = −[α₁, 2 α₃ + C₁]/60
//!  Ω = α₁ + α₃/12 + [−20 α₁ − α₃ + C₁, α₂ + C₂]/240
//! ```
//!
//! Constant coefficients are integrated exactly, however fast a mode is.

use super::error::{PeriodicError, verb};
use super::panels::{Panels, panel_ends};
use crate::analyses::linear::local_axes::{AxesChoice, LocalAxes, local_axes};
use crate::analyses::linear::state_difference::state_difference;
use crate::analyses::linear::tangent_flow::TangentFlow;
use crate::analyses::linear::{Linearised, linearise_at};
use crate::analyses::{Output, Run, RunStatus, Simulation, Transient};
use crate::dynamics::{Dynamics, SolverSettings};
use crate::events::EventKind;
use crate::forces::ForceKind;
use crate::model::Model;
use crate::simulation::check_interruption;
use crate::simulation::run::RatesAtSwitch;
use crate::solution::Columns;
use crate::state::State;
use nalgebra::{DMatrix, DVector};

/// Inner Lobatto nodes, from the middle of the panel, in panels.
const INNER_NODE: f64 = 0.223_606_797_749_978_97;
/// All nodes, from the middle of the panel, in panels.
const NODES: [f64; 4] = [-0.5, -INNER_NODE, INNER_NODE, 0.5];
/// Weights of the outer and inner nodes.
const WEIGHTS: [f64; 2] = [1.0 / 12.0, 5.0 / 12.0];

/// Small motions at one instant, in local axes and scaled.
#[derive(Clone, Debug)]
pub(in crate::analyses) struct Sample {
    /// The state, with Gibbs–Rodrigues parameters relative to its own orientation.
    pub state: State,
    pub vdot: Vec<f64>,
    pub zdot: Vec<f64>,
    pub axes: Vec<LocalAxes>,
    pub flow: TangentFlow,
}

/// A point of the motion, and X = (ξ, dv, z) of the small motions that start with each column of the first basis.
#[derive(Clone, Debug)]
pub(in crate::analyses) struct Point {
    pub sample: Sample,
    pub X: DMatrix<f64>,
}

/// X between the ends of a panel, for integrals over the motion.
#[derive(Clone, Debug)]
pub(in crate::analyses) struct QuadratureNode {
    pub t: f64,
    /// Of Lobatto's rule, s.
    pub weight: f64,
    pub X: DMatrix<f64>,
}

/// The motion over an interval: the ends of all panels.
#[derive(Clone, Debug)]
pub(in crate::analyses) struct Segment {
    pub points: Vec<Point>,
    /// The nodes of Lobatto's rule in all panels, if panels end where the equations change their form somewhere along the motion.
    pub nodes: Vec<QuadratureNode>,
}

impl Segment {
    pub fn start(&self) -> &Sample {
        &self.points[0].sample
    }
    pub fn end(&self) -> &Point {
        &self.points[self.points.len() - 1]
    }
}

/// Computes small motions along motions of a model.
#[derive(Clone, Debug)]
pub(in crate::analyses) struct Flow<'m> {
    pub model: &'m Model,
    settings: Transient,
    /// The axes of every body.
    choice: Vec<AxesChoice>,
    /// The extra states that take part somewhere along the motion.
    pub states: Vec<bool>,
    /// Units of ξ, dv and z.
    pub scales: DVector<f64>,
    /// Whether the equations change their form somewhere along the motion.
    is_divided: bool,
}

impl<'m> Flow<'m> {
    /// The flow near a state; `period` gives the unit of time.
    pub fn new(
        model: &'m Model,
        state: &State,
        settings: &Transient,
        period: f64,
        choice: Vec<AxesChoice>,
    ) -> Result<Flow<'m>, PeriodicError> {
        if let Some(f) =
            model.forces.iter().find(|f| matches!(&f.kind, ForceKind::Controller(c) if c.sample_time.is_some()))
        {
            return Err(PeriodicError::Sampled { force: f.name.clone() });
        }
        crate::analyses::refuse_reaction_forces(model, "the analysis of periodic motions")?;
        let lin = linearised(model, state)?;
        let states = lin.state_activity();
        let lengths = lin.displacement_scales();
        let rate = std::f64::consts::TAU / period;
        let extra = states.iter().filter(|on| **on).count();
        let units = lengths.iter().copied().chain(lengths.iter().map(|l| l * rate));
        let scales = DVector::from_iterator(2 * lengths.len() + extra, units.chain(std::iter::repeat_n(1.0, extra)));
        let settings = Transient { output: Output::Ends, columns: Columns::None, ..settings.clone() };
        Ok(Flow { model, settings, choice, states, scales, is_divided: false })
    }

    /// The small motions at a state; `None` if an extra state takes part that did not before.
    fn sample(&mut self, state: &State) -> Result<Option<Sample>, PeriodicError> {
        check_interruption()?;
        self.refuse_slip(state)?;
        let mut lin = linearised(self.model, state)?;
        let now = lin.state_activity();
        if now.iter().zip(&self.states).any(|(now, known)| *now && !known) {
            let all: Vec<bool> = self.states.iter().zip(&now).map(|(a, b)| *a || *b).collect();
            let extra = all.iter().filter(|on| **on).count();
            let fixed = 2 * self.model.sizes.v;
            let units = self.scales.iter().copied().take(fixed).chain(std::iter::repeat_n(1.0, extra));
            self.scales = DVector::from_iterator(fixed + extra, units);
            self.states = all;
            return Ok(None);
        }
        let axes = local_axes(self.model, &lin.state, &self.choice);
        let mut flow = lin.tangent_flow(&axes, &self.states)?;
        for x in [&mut flow.basis, &mut flow.rates] {
            x.row_iter_mut().zip(self.scales.iter()).for_each(|(mut row, unit)| row /= *unit);
        }
        let (state, vdot, zdot) = (lin.state, lin.vdot, lin.eq.zdot.to_vec());
        Ok(Some(Sample { state, vdot, zdot, axes, flow }))
    }

    /// The motion from a state over an interval, in so many panels; more where the equations change their form.
    pub fn segment(&mut self, start: &State, duration: f64, panels: Panels) -> Result<Segment, PeriodicError> {
        let switches = self.switch_times(start, duration)?;
        let ends = panel_ends(self.model, [start.t, start.t + duration], &switches, panels)?;
        loop {
            if let Some(found) = self.try_segment(start, duration, &ends)? {
                return Ok(found);
            }
        }
    }

    /// The small motions at `count` equal intervals of a motion, from its start to its end.
    pub fn along(&mut self, start: &State, duration: f64, count: usize) -> Result<Vec<Sample>, PeriodicError> {
        'again: loop {
            let settings = Transient { t_end: start.t + duration, ..self.settings.clone() };
            let mut run = Simulation::new(self.model, start, &settings)?;
            let mut all = Vec::with_capacity(count + 1);
            for k in 0..=count {
                if k > 0 {
                    advance(&mut run, start.t + duration * k as f64 / count as f64)?;
                }
                match self.sample(&run.state())? {
                    Some(found) => all.push(found),
                    None => continue 'again,
                }
            }
            return Ok(all);
        }
    }

    /// The state at the end of a motion, without its small motions.
    pub fn end(&self, start: &State, duration: f64) -> Result<State, PeriodicError> {
        let t_end = start.t + duration;
        let mut run = Simulation::new(self.model, start, &Transient { t_end, ..self.settings.clone() })?;
        self.refuse_slip(&run.state())?;
        advance(&mut run, t_end)?;
        let end = run.state();
        self.refuse_slip(&end)?;
        Ok(end)
    }

    /// The small motions of a contact that slips are not those of the rows.
    fn refuse_slip(&self, state: &State) -> Result<(), PeriodicError> {
        match state.modes.iter().position(|mode| mode.slip_direction().is_some()) {
            Some(c) => Err(PeriodicError::Slipping { constraint: self.model.constraints[c].name.clone() }),
            None => Ok(()),
        }
    }

    /// The scaled small motion from one sample to another.
    pub fn difference(&self, from: &Sample, to: &Sample) -> DVector<f64> {
        state_difference(self.model, &from.state, &to.state, &self.states).component_div(&self.scales)
    }

    fn try_segment(
        &mut self,
        start: &State,
        duration: f64,
        parts: &[Vec<f64>],
    ) -> Result<Option<Segment>, PeriodicError> {
        let settings = Transient { t_end: start.t + duration, ..self.settings.clone() };
        let mut run = Simulation::new(self.model, start, &settings)?;
        self.is_divided |= parts.len() > 1;
        let (mut points, mut nodes): (Vec<Point>, Vec<QuadratureNode>) = (Vec::new(), Vec::new());
        for ends in parts {
            if ends[0] > run.t() {
                advance(&mut run, ends[0])?;
            }
            let Some(first) = self.sample(&run.state())? else { return Ok(None) };
            // Across an instant at which the equations change their form, the small motions are continuous.
            let X = points.pop().map_or_else(|| first.flow.basis.clone(), |p| p.X);
            points.push(Point { sample: first, X });
            for panel in ends.windows(2) {
                let (h, middle) = (panel[1] - panel[0], 0.5 * (panel[0] + panel[1]));
                let mut inner: Vec<Sample> = Vec::with_capacity(3);
                for t in [middle - INNER_NODE * h, middle + INNER_NODE * h, panel[1]] {
                    advance(&mut run, t)?;
                    let Some(found) = self.sample(&run.state())? else { return Ok(None) };
                    let (found_count, expected) = (found.flow.basis.ncols(), points[0].X.ncols());
                    if found_count != expected {
                        return Err(PeriodicError::SingularPose { t, found: found_count, expected });
                    }
                    inner.push(found);
                }
                let from = &points[points.len() - 1];
                let found = self.panel(h, &from.X, [&from.sample, &inner[0], &inner[1], &inner[2]])?;
                if self.is_divided {
                    let X = [from.X.clone(), found.at(-INNER_NODE), found.at(INNER_NODE), found.end.clone()];
                    let node = |(k, X): (usize, DMatrix<f64>)| QuadratureNode {
                        t: middle + NODES[k] * h,
                        weight: h * weight(k),
                        X,
                    };
                    nodes.extend(X.into_iter().enumerate().map(node));
                }
                let end = found.end;
                points.push(Point { sample: inner.swap_remove(2), X: end });
            }
        }
        Ok(Some(Segment { points, nodes }))
    }

    /// The times at which conditions on the motion change the equations.
    pub fn switch_times(&self, start: &State, duration: f64) -> Result<Vec<f64>, PeriodicError> {
        if self.model.guarded_elements().is_empty() {
            return Ok(Vec::new());
        }
        let t_end = start.t + duration;
        let mut run = Simulation::new(self.model, start, &Transient { t_end, ..self.settings.clone() })?;
        advance(&mut run, t_end)?;
        let touches = run.events().iter().map(|e| e.t);
        Ok(run.log().switches.iter().map(|s| s.t).chain(touches).collect())
    }

    /// The small motions over a panel.
    fn panel(&self, h: f64, X: &DMatrix<f64>, at: [&Sample; 4]) -> Result<PanelMotion, PeriodicError> {
        let singular = || PeriodicError::SingularPose { t: at[3].state.t, found: 0, expected: X.ncols() };
        let L = left_inverse(&at[1].flow.basis).ok_or_else(singular)?;
        let (mut rates, mut back) = (Vec::with_capacity(4), Vec::with_capacity(4));
        for sample in at {
            let inverse = (&L * &sample.flow.basis).try_inverse().ok_or_else(singular)?;
            rates.push(&L * &sample.flow.rates * &inverse);
            back.push(&sample.flow.basis * inverse);
        }
        let start = L * X;
        let end = &back[3] * (magnus(h, &rates) * &start);
        Ok(PanelMotion { h, rates, back, start, end })
    }

    /// Reduced coordinates of a small motion (ξ, dv, z) in world axes at a sample.
    pub fn reduce(&self, at: &Sample, x: &DVector<f64>) -> Option<DVector<f64>> {
        let n = self.model.sizes.v;
        let mut local = x.clone();
        for (b, axes) in self.model.bodies.iter().zip(&at.axes) {
            for from in [b.v.start, n + b.v.start] {
                let turned = &axes.inverse * x.rows(from, b.v.len());
                local.rows_mut(from, b.v.len()).copy_from(&turned);
            }
        }
        local.component_div_assign(&self.scales);
        Some(left_inverse(&at.flow.basis)? * local)
    }

    /// A scaled local small motion in world axes and SI units.
    pub fn to_world(&self, at: &Sample, local: &DVector<f64>) -> DVector<f64> {
        let n = self.model.sizes.v;
        let x = local.component_mul(&self.scales);
        let mut world = x.clone();
        for (b, axes) in self.model.bodies.iter().zip(&at.axes) {
            for from in [b.v.start, n + b.v.start] {
                let turned = &axes.Z * x.rows(from, b.v.len());
                world.rows_mut(from, b.v.len()).copy_from(&turned);
            }
        }
        world
    }
}

/// The linearised equations at a state of a motion.
pub(in crate::analyses) fn linearised<'m>(model: &'m Model, state: &State) -> Result<Linearised<'m>, PeriodicError> {
    let mut dynamics = Dynamics::at(model, state, &SolverSettings::default());
    dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z)?;
    let (vdot, lambda) = (dynamics.vdot.clone(), dynamics.lambda.clone());
    Ok(linearise_at(model, state, &vdot, &lambda, None)?)
}

/// Continues a run, and rejects jumps.
fn advance(run: &mut Simulation, t: f64) -> Result<(), PeriodicError> {
    let status = run.advance(t);
    check_interruption()?;
    let jump = run.events().iter().find(|e| e.what != EventKind::Touches);
    if let Some(e) = jump {
        return Err(PeriodicError::Jump { name: e.name.clone(), what: verb(e.what), t: e.t });
    }
    if let Some(s) = run.log().switches.iter().find(|s| s.rates == RatesAtSwitch::Jump) {
        return Err(PeriodicError::Jump { name: s.name.clone(), what: "switches", t: s.t });
    }
    if status == RunStatus::Ended && run.t() < t {
        return Err(PeriodicError::RunEnds { t: run.t(), outcome: Box::new(run.outcome().clone()) });
    }
    Ok(())
}

/// (EᵀE)⁻¹ Eᵀ.
pub(in crate::analyses) fn left_inverse(E: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    Some(E.tr_mul(E).cholesky()?.solve(&E.transpose()))
}

/// The small motions over a panel.
struct PanelMotion {
    h: f64,
    /// J at the nodes.
    rates: Vec<DMatrix<f64>>,
    /// X by y at the nodes.
    back: Vec<DMatrix<f64>>,
    /// y at the start.
    start: DMatrix<f64>,
    /// X at the end.
    end: DMatrix<f64>,
}

impl PanelMotion {
    /// X at the inner node s: the same series over the part of the panel before it, with J interpolated by the cubic through the nodes.
    fn at(&self, s: f64) -> DMatrix<f64> {
        let fraction = s + 0.5;
        let rates: Vec<DMatrix<f64>> = NODES.iter().map(|node| self.rate((node + 0.5) * fraction - 0.5)).collect();
        let k = usize::from(s > 0.0) + 1;
        &self.back[k] * (magnus(fraction * self.h, &rates) * &self.start)
    }

    fn rate(&self, s: f64) -> DMatrix<f64> {
        let d = self.start.nrows();
        let mut sum = DMatrix::zeros(d, d);
        for (k, J) in self.rates.iter().enumerate() {
            let others = NODES.iter().enumerate().filter(|(i, _)| *i != k);
            sum += others.map(|(_, node)| (s - node) / (NODES[k] - node)).product::<f64>() * J;
        }
        sum
    }
}

/// The exponential of Magnus' series over a panel, from J at its nodes.
fn magnus(h: f64, rates: &[DMatrix<f64>]) -> DMatrix<f64> {
    let moment = |i: i32| {
        let mut sum = DMatrix::zeros(rates[0].nrows(), rates[0].ncols());
        for (k, J) in rates.iter().enumerate() {
            sum += h * weight(k) * NODES[k].powi(i) * J;
        }
        sum
    };
    let [B0, B1, B2] = [0, 1, 2].map(moment);
    let (a1, a2, a3) = (2.25 * &B0 - 15.0 * &B2, 12.0 * B1, -15.0 * B0 + 180.0 * B2);
    let commutator = |a: &DMatrix<f64>, b: &DMatrix<f64>| a * b - b * a;
    let c1 = commutator(&a1, &a2);
    let c2 = commutator(&a1, &(2.0 * &a3 + &c1)) / -60.0;
    let last = commutator(&(-20.0 * &a1 - &a3 + &c1), &(a2 + c2)) / 240.0;
    (a1 + a3 / 12.0 + last).exp()
}

/// Weight of a node in Lobatto's rule over a panel of length one.
fn weight(node: usize) -> f64 {
    WEIGHTS[usize::from(node == 1 || node == 2)]
}
