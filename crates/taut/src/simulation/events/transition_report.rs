//! The results of a transition, and its warnings.

use super::EventRecord;

/// The results of a transition.
#[derive(Debug, Default)]
pub(crate) struct TransitionReport {
    pub events: Vec<EventRecord>,
    /// Energy lost in impacts, J, by constraint.
    pub losses: Vec<(usize, f64)>,
    /// Work of moving constraints during impacts, J.
    pub work: f64,
    /// Factor by which e was reduced to keep the energy from growing.
    pub restitution_factor: Option<f64>,
    /// Residual of the laws, if the impulses were not found to round-off.
    pub unsolved_residual: Option<f64>,
    /// A contact at which Coulomb's law has several solutions.
    pub ambiguous_contact: Option<String>,
}

/// A warning: its kind, reported once per run, and the details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TransitionWarning {
    pub kind: &'static str,
    pub detail: String,
}

impl TransitionReport {
    /// The warnings.
    pub fn warnings(&self) -> Vec<TransitionWarning> {
        let names = self.events.iter().map(|o| o.name.as_str()).collect::<Vec<_>>().join("`, `");
        let tamed = self.restitution_factor.map(|left| TransitionWarning {
            kind: "Newton's impact law would have added energy",
            detail: format!(
                " at `{names}`: the restitution was reduced to {left:.3} of the given value; Poisson's law adds no energy"
            ),
        });
        let stalled = self.unsolved_residual.map(|residual| TransitionWarning {
            kind: "the impulses of an impact were not found to round-off",
            detail: format!(
                " at `{names}`: the residual of the laws is {residual:.1e}; the velocities after it may be inaccurate"
            ),
        });
        tamed.into_iter().chain(stalled).collect()
    }

    /// The contact at which Coulomb's law has several solutions, and the warning.
    pub fn ambiguity_warning(&self) -> Option<(&str, TransitionWarning)> {
        let contact = self.ambiguous_contact.as_ref()?;
        let rest = format!(
            " at `{contact}` (Painlevé's paradox): the run continues with one of them, the motion might follow another; \
             with less friction or a compliant contact the solution is unique"
        );
        Some((contact, TransitionWarning { kind: "Coulomb's law has several solutions", detail: rest }))
    }
}
