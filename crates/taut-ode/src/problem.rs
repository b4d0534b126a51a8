//! The interface between the driver and the problem that it integrates.

use crate::{
    Action, Between, Break, Depend, Direction, Events, Follow, GuardKind, Linear, NearZero, Noted, Refusal, Resting,
    SecondOrder, System,
};

/// What a hook did to the state after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edit {
    /// Nothing.
    Kept,
    /// A small correction (projection); the dense output of the step follows it.
    Corrected,
    /// A projection onto a manifold on which the solution lies and the step began. Its distance is an error of this step: if it
    /// exceeds the tolerance, the step is repeated with a smaller size. The dense output follows it.
    Projected,
    /// The same near a singular point of the manifold, where the projection amplifies an error within the tolerance. It is
    /// compared with the tolerance only as long as smaller steps make it smaller.
    Amplified,
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
    pub(crate) fn across(at: Break, direction: f64) -> Self {
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
    fn after_step(&mut self, t: f64, y: &mut [f64]) -> Result<Edit, Refusal> {
        let _ = (t, y);
        Ok(Edit::Kept)
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
    /// example because the present ones become singular, and then returns [`Edit::Jumped`]. This is neither an event nor an
    /// output: the motion continues unchanged.
    fn restate(&mut self, t: f64, y: &mut [f64]) -> Edit {
        let _ = (t, y);
        Edit::Kept
    }

    /// The integration is about to restart with the given state. The hook may edit it ([`Edit::Jumped`]), for example where
    /// prescribed velocities jump. [`Edit::Stop`] ends the integration before the restart.
    ///
    /// # Errors
    /// A [`Refusal`] ends the integration.
    fn restart(&mut self, at: Restart, y: &mut [f64]) -> Result<Edit, Refusal> {
        let _ = (at, y);
        Ok(Edit::Kept)
    }

    /// Factor on the tolerance of the steps ahead, at most one, read at each restart: less than one where the motion is about
    /// to amplify errors.
    fn part(&self) -> f64 {
        1.0
    }

    /// An isolated singular time ahead, read after each step: see
    /// [`Stepper::stride_across`](crate::Stepper::stride_across).
    fn obstacle(&self) -> Option<f64> {
        None
    }

    /// The longest step permitted from `t`, read before each step; `None` for no limit.
    fn longest(&mut self, t: f64) -> Option<f64> {
        let _ = t;
        None
    }

    /// A time within the step from `t_old` to `t` at which the hook wants a sample besides the output. Called until it returns
    /// `None`. The integration is not affected.
    fn wants(&mut self, t_old: f64, t: f64) -> Option<f64> {
        let _ = (t_old, t);
        None
    }

    /// The state at a time that [`wants`](Self::wants) returned.
    fn sample(&mut self, t: f64, y: &[f64]) {
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
/// share data. [`Parts`] combines three separate objects.
pub trait Problem: System + Events + Hook {}

impl<T: System + Events + Hook> Problem for T {}

/// A [`Problem`] of separate parts; `()` stands for no events and for no hook.
pub struct Parts<'a> {
    /// The right-hand side.
    pub system: &'a mut dyn System,
    /// The events.
    pub events: &'a mut dyn Events,
    /// The hook.
    pub hook: &'a mut dyn Hook,
}

impl System for Parts<'_> {
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

    fn guards(&self) -> usize {
        self.system.guards()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        self.system.guard_kind(i)
    }

    fn guard_values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.system.guard_values(t, y, g);
    }

    fn linear(&mut self) -> Option<&mut dyn Linear> {
        self.system.linear()
    }

    fn second_order(&mut self) -> Option<&mut dyn SecondOrder> {
        self.system.second_order()
    }
}

impl Events for Parts<'_> {
    fn count(&self) -> usize {
        self.events.count()
    }

    fn direction(&self, i: usize) -> Direction {
        self.events.direction(i)
    }

    fn near_zero(&self, i: usize) -> NearZero {
        self.events.near_zero(i)
    }

    fn depend(&self) -> Depend {
        self.events.depend()
    }

    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.events.values(t, y, g);
    }

    fn follow(&self, i: usize) -> Follow {
        self.events.follow(i)
    }

    fn parts(&self) -> Option<usize> {
        self.events.parts()
    }

    fn note(&mut self, at: Noted) {
        self.events.note(at);
    }

    fn between(&mut self, i: usize, from: Noted, to: Noted) -> Between {
        self.events.between(i, from, to)
    }

    fn lost_sight(&mut self, i: usize, from: f64, to: f64) {
        self.events.lost_sight(i, from, to);
    }

    fn rests(&mut self, i: usize, t: f64, resting: Resting) {
        self.events.rests(i, t, resting);
    }

    fn resting(&self, i: usize, t: f64) -> Option<Resting> {
        self.events.resting(i, t)
    }

    fn touched(&mut self, i: usize, t: f64, y: &[f64]) {
        self.events.touched(i, t, y);
    }

    fn fired(&mut self, i: usize, t: f64, y: &mut [f64]) -> Action {
        self.events.fired(i, t, y)
    }
}

impl Hook for Parts<'_> {
    fn after_step(&mut self, t: f64, y: &mut [f64]) -> Result<Edit, Refusal> {
        self.hook.after_step(t, y)
    }

    fn restate(&mut self, t: f64, y: &mut [f64]) -> Edit {
        self.hook.restate(t, y)
    }

    fn restart(&mut self, at: Restart, y: &mut [f64]) -> Result<Edit, Refusal> {
        self.hook.restart(at, y)
    }

    fn part(&self) -> f64 {
        self.hook.part()
    }

    fn obstacle(&self) -> Option<f64> {
        self.hook.obstacle()
    }

    fn longest(&mut self, t: f64) -> Option<f64> {
        self.hook.longest(t)
    }

    fn refine(&mut self, t: f64, y: &mut [f64]) -> Result<(), Refusal> {
        self.hook.refine(t, y)
    }

    fn output(&mut self, t: f64, y: &[f64]) {
        self.hook.output(t, y);
    }

    fn wants(&mut self, t_old: f64, t: f64) -> Option<f64> {
        self.hook.wants(t_old, t)
    }

    fn sample(&mut self, t: f64, y: &[f64]) {
        self.hook.sample(t, y);
    }
}
