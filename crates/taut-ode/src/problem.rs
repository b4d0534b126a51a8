//! The interface between the driver and the problem that it integrates.

use crate::{
    Break, Direction, EventDependence, EventResponse, Events, GuardKind, IntervalCheck, JacobianSolver, RearmPolicy,
    Refusal, Resting, SampleId, SamplingPolicy, SecondOrder, System,
};

/// What a hook did to the state after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StateEdit {
    /// Nothing.
    Unchanged,
    /// A small correction (projection); the dense output of the step follows it.
    Corrected,
    /// A projection onto a manifold on which the solution lies and the step began. Its distance is an error of this step: if it
    /// exceeds the tolerance, the step is repeated with a smaller size. The dense output follows it.
    Projected,
    /// The same near a singular point of the manifold, where the projection amplifies an error within the tolerance. It is
    /// compared with the tolerance only as long as smaller steps make it smaller.
    ProjectedNearSingularity,
    /// A discontinuity; the dense output of the step stays as it was.
    Jumped,
    /// Nothing; the integration ends here.
    Stop,
}

/// Where the right-hand side changes its form and the integration restarts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Restart {
    /// At a time known in advance; the state is that at the end of the piece before it.
    Break {
        /// Last time of the piece that ends, in the direction of integration.
        from: f64,
        /// First time of the piece that begins.
        to: f64,
    },
    /// Where a guard has crossed zero.
    Guard {
        /// The guard.
        index: usize,
        /// The time.
        t: f64,
    },
}

impl Restart {
    /// The restart at a break.
    pub(crate) fn across_break(at: Break, direction: f64) -> Self {
        if direction < 0.0 {
            Self::Break { from: at.after, to: at.before }
        } else {
            Self::Break { from: at.before, to: at.after }
        }
    }

    /// The time at which the integration continues.
    #[must_use]
    pub fn t(&self) -> f64 {
        match *self {
            Self::Break { to, .. } => to,
            Self::Guard { t, .. } => t,
        }
    }
}

/// Calls during an integration. The defaults do nothing.
pub trait Hook {
    /// After each accepted step, before its events are searched for and its output is made. The
    /// state may be edited.
    ///
    /// # Errors
    /// A [`Refusal`] takes the step back; it is repeated at half its size, unless it is fixed, which ends the integration.
    fn after_step(&mut self, t: f64, y: &mut [f64]) -> Result<StateEdit, Refusal> {
        let _ = (t, y);
        Ok(StateEdit::Unchanged)
    }

    /// Refines an interpolated state in place before it goes to the output or to an event: a projection, since dense output
    /// does not satisfy constraints. The integration itself is not affected, unless the event stops it or makes it jump.
    ///
    /// # Errors
    /// A [`Refusal`] ends the integration.
    fn refine(&mut self, t: f64, y: &mut [f64]) -> Result<(), Refusal> {
        let _ = (t, y);
        Ok(())
    }

    /// Called after everything of a step has been delivered. The hook may express the same state in other coordinates, for
    /// example because the present ones become singular, and then returns [`StateEdit::Jumped`]. This is neither an event nor an
    /// output: the motion continues unchanged.
    fn change_chart(&mut self, t: f64, y: &mut [f64]) -> StateEdit {
        let _ = (t, y);
        StateEdit::Unchanged
    }

    /// The integration is about to restart with the given state. The hook may edit it ([`StateEdit::Jumped`]), for example where
    /// prescribed velocities jump. [`StateEdit::Stop`] ends the integration before the restart.
    ///
    /// # Errors
    /// A [`Refusal`] ends the integration.
    fn restart(&mut self, at: Restart, y: &mut [f64]) -> Result<StateEdit, Refusal> {
        let _ = (at, y);
        Ok(StateEdit::Unchanged)
    }

    /// Factor on the tolerance of the steps ahead, at most one, read at each restart: less than one where the motion is about
    /// to amplify errors.
    fn tolerance_factor(&self) -> f64 {
        1.0
    }

    /// An isolated singular time ahead, read after each step: see
    /// [`Stepper::set_singular_time`](crate::Stepper::set_singular_time).
    fn singular_time(&self) -> Option<f64> {
        None
    }

    /// The longest step permitted from `t`, read before each step; `None` for no limit.
    fn max_step(&mut self, t: f64) -> Option<f64> {
        let _ = t;
        None
    }

    /// A time within the step from `t_old` to `t` at which the hook wants a sample besides the output. Called until it returns
    /// `None`. The integration is not affected.
    fn next_sample_time(&mut self, t_old: f64, t: f64) -> Option<f64> {
        let _ = (t_old, t);
        None
    }

    /// The state at a time that [`next_sample_time`](Self::next_sample_time) returned.
    fn sample(&mut self, t: f64, y: &[f64]) {
        let _ = (t, y);
    }

    /// The state at the end of a step after which the integration restarts, because the right-hand side may jump there.
    fn before_restart(&mut self, t: f64, y: &[f64]) {
        let _ = (t, y);
    }

    /// A state of the output, in order of time. If every step is recorded, a jump gives two states at the same time.
    fn output(&mut self, t: f64, y: &[f64]) {
        let _ = (t, y);
    }
}

/// No hook.
impl Hook for () {}

/// Everything that the driver calls, as one object, so that a system, its events and its hook can
/// share data. [`ProblemParts`] combines three separate objects.
pub trait Problem: System + Events + Hook {}

impl<T: System + Events + Hook> Problem for T {}

/// A [`Problem`] of separate parts; `()` stands for no events and for no hook.
pub struct ProblemParts<'a> {
    /// The right-hand side.
    pub system: &'a mut dyn System,
    /// The events.
    pub events: &'a mut dyn Events,
    /// The hook.
    pub hook: &'a mut dyn Hook,
}

impl System for ProblemParts<'_> {
    fn dimension(&self) -> usize {
        self.system.dimension()
    }

    fn attempt(&mut self, t: f64, h: f64) {
        self.system.attempt(t, h);
    }

    fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        self.system.rates(t, y, dydt)
    }

    fn next_break(&mut self, t: f64, t_end: f64) -> Option<Break> {
        self.system.next_break(t, t_end)
    }

    fn guard_count(&self) -> usize {
        self.system.guard_count()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        self.system.guard_kind(i)
    }

    fn guard_values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.system.guard_values(t, y, g);
    }

    fn guard_search_exhausted(&mut self, i: usize, from: f64, to: f64) {
        self.system.guard_search_exhausted(i, from, to);
    }

    fn jacobian_solver(&mut self) -> Option<&mut dyn JacobianSolver> {
        self.system.jacobian_solver()
    }

    fn second_order(&mut self) -> Option<&mut dyn SecondOrder> {
        self.system.second_order()
    }
}

impl Events for ProblemParts<'_> {
    fn event_count(&self) -> usize {
        self.events.event_count()
    }

    fn direction(&self, i: usize) -> Direction {
        self.events.direction(i)
    }

    fn rearm_policy(&self, i: usize) -> RearmPolicy {
        self.events.rearm_policy(i)
    }

    fn dependence(&self) -> EventDependence {
        self.events.dependence()
    }

    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.events.values(t, y, g);
    }

    fn sampling_policy(&self, i: usize) -> SamplingPolicy {
        self.events.sampling_policy(i)
    }

    fn initial_parts(&self) -> Option<usize> {
        self.events.initial_parts()
    }

    fn record_sample(&mut self, at: SampleId) {
        self.events.record_sample(at);
    }

    fn check_interval(&mut self, i: usize, from: SampleId, to: SampleId) -> IntervalCheck {
        self.events.check_interval(i, from, to)
    }

    fn search_exhausted(&mut self, i: usize, from: f64, to: f64) {
        self.events.search_exhausted(i, from, to);
    }

    fn set_resting(&mut self, i: usize, t: f64, resting: Resting) {
        self.events.set_resting(i, t, resting);
    }

    fn resting(&self, i: usize, t: f64) -> Option<Resting> {
        self.events.resting(i, t)
    }

    fn touched(&mut self, i: usize, t: f64, y: &[f64]) {
        self.events.touched(i, t, y);
    }

    fn fired(&mut self, i: usize, t: f64, y: &mut [f64]) -> EventResponse {
        self.events.fired(i, t, y)
    }
}

impl Hook for ProblemParts<'_> {
    fn after_step(&mut self, t: f64, y: &mut [f64]) -> Result<StateEdit, Refusal> {
        self.hook.after_step(t, y)
    }

    fn change_chart(&mut self, t: f64, y: &mut [f64]) -> StateEdit {
        self.hook.change_chart(t, y)
    }

    fn restart(&mut self, at: Restart, y: &mut [f64]) -> Result<StateEdit, Refusal> {
        self.hook.restart(at, y)
    }

    fn tolerance_factor(&self) -> f64 {
        self.hook.tolerance_factor()
    }

    fn singular_time(&self) -> Option<f64> {
        self.hook.singular_time()
    }

    fn max_step(&mut self, t: f64) -> Option<f64> {
        self.hook.max_step(t)
    }

    fn refine(&mut self, t: f64, y: &mut [f64]) -> Result<(), Refusal> {
        self.hook.refine(t, y)
    }

    fn output(&mut self, t: f64, y: &[f64]) {
        self.hook.output(t, y);
    }

    fn next_sample_time(&mut self, t_old: f64, t: f64) -> Option<f64> {
        self.hook.next_sample_time(t_old, t)
    }

    fn before_restart(&mut self, t: f64, y: &[f64]) {
        self.hook.before_restart(t, y);
    }

    fn sample(&mut self, t: f64, y: &[f64]) {
        self.hook.sample(t, y);
    }
}
