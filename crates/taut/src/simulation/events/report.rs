//! What a transition did, and what of it the user should be told.

use super::Occurrence;

/// What a transition found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub occurrences: Vec<Occurrence>,
    /// Energy lost in impacts, J, by constraint.
    pub losses: Vec<(usize, f64)>,
    /// Energy that moving constraints put in during impacts, J.
    pub work: f64,
    /// The share of e that was left to keep the energy from growing.
    pub tamed: Option<f64>,
    /// Residual of the laws that the impulses leave, where they were not found to round-off.
    pub stalled: Option<f64>,
    /// A contact at which Coulomb's law has several solutions.
    pub several: Option<String>,
}

/// Something to warn of: what it is, told once per run, and where and how much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub kind: &'static str,
    pub rest: String,
}

impl Report {
    /// What should be told.
    pub fn told(&self) -> Vec<Told> {
        let names = self.occurrences.iter().map(|o| o.name.as_str()).collect::<Vec<_>>().join("`, `");
        let tamed = self.tamed.map(|left| Told {
            kind: "Newton's law of impact would have added energy",
            rest: format!(
                " at `{names}`: the restitution was taken as {left:.3} of what is given; Poisson's law does not"
            ),
        });
        let stalled = self.stalled.map(|residual| Told {
            kind: "the impulses of an impact were not found to round-off",
            rest: format!(
                " at `{names}`: what is left of the laws is {residual:.1e}; the velocities after it may be off"
            ),
        });
        tamed.into_iter().chain(stalled).collect()
    }

    /// What should be told where Coulomb's law has several solutions: of which contact, and what.
    pub fn ambiguous(&self) -> Option<(&str, Told)> {
        let contact = self.several.as_ref()?;
        let rest = format!(
            " at `{contact}` (Painlevé's paradox): the run goes on with one of them, the motion might go on with another; \
             less friction or a compliant contact has one solution"
        );
        Some((contact, Told { kind: "Coulomb's law has several solutions", rest }))
    }
}
