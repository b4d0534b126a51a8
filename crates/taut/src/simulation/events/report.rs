//! The results of a transition, and its warnings.

use super::Occurrence;

/// The results of a transition.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub occurrences: Vec<Occurrence>,
    /// Energy lost in impacts, J, by constraint.
    pub losses: Vec<(usize, f64)>,
    /// Work of moving constraints during impacts, J.
    pub work: f64,
    /// Factor by which e was reduced to keep the energy from growing.
    pub tamed: Option<f64>,
    /// Residual of the laws, if the impulses were not found to round-off.
    pub stalled: Option<f64>,
    /// A contact at which Coulomb's law has several solutions.
    pub several: Option<String>,
}

/// A warning: its kind, reported once per run, and the details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub kind: &'static str,
    pub rest: String,
}

impl Report {
    /// The warnings.
    pub fn told(&self) -> Vec<Told> {
        let names = self.occurrences.iter().map(|o| o.name.as_str()).collect::<Vec<_>>().join("`, `");
        let tamed = self.tamed.map(|left| Told {
            kind: "Newton's law of impact would have added energy",
            rest: format!(
                " at `{names}`: the restitution was reduced to {left:.3} of the given value; Poisson's law adds no energy"
            ),
        });
        let stalled = self.stalled.map(|residual| Told {
            kind: "the impulses of an impact were not found to round-off",
            rest: format!(
                " at `{names}`: the residual of the laws is {residual:.1e}; the velocities after it may be inaccurate"
            ),
        });
        tamed.into_iter().chain(stalled).collect()
    }

    /// The contact at which Coulomb's law has several solutions, and the warning.
    pub fn ambiguous(&self) -> Option<(&str, Told)> {
        let contact = self.several.as_ref()?;
        let rest = format!(
            " at `{contact}` (Painlevé's paradox): the run continues with one of them, the motion might follow another; \
             with less friction or a compliant contact the solution is unique"
        );
        Some((contact, Told { kind: "Coulomb's law has several solutions", rest }))
    }
}
