//! Whether the books of a run with contacts are in order: energy that comes or goes and that nothing accounts for.

use serde::{Deserialize, Serialize};

/// Share of the energy at work that no step may lose or gain unaccounted for, and how many times the relative tolerance.
const BROKEN: f64 = 1e-6;
const TOLERATED: f64 = 1e3;
/// Round-off of the energies that are summed up, relative.
const ROUND_OFF: f64 = 1e-12;

/// Energies of one moment, J.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Books {
    pub kinetic: f64,
    pub potential: f64,
    /// Kinetic and potential energy less what was put in, plus what was lost, less those of the start.
    pub balance: f64,
}

/// Looks at the books after every step, and tells once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) enum Audit {
    /// Nothing seen yet.
    #[default]
    Fresh,
    /// In order so far.
    Sound {
        /// The potential at the first look.
        potential: f64,
        /// The largest energy that has been at work.
        at_work: f64,
        /// The balance at the last look.
        balance: f64,
    },
    /// It was told.
    Told,
    /// Nobody looks: what the method errs by is no finding.
    Waived,
}

impl Audit {
    /// The share of the energy at work that the last step lost (below zero) or gained, the first time that this is no
    /// error of integration: those of steps at this relative tolerance are small, and add up without a word.
    pub fn look(&mut self, now: Books, rtol: f64) -> Option<f64> {
        let (potential, at_work, before) = match *self {
            Audit::Fresh => (now.potential, now.kinetic, now.balance),
            Audit::Sound { potential, at_work, balance } => {
                (potential, at_work.max(now.kinetic + (now.potential - potential).abs()), balance)
            }
            Audit::Told | Audit::Waived => return None,
        };
        *self = Audit::Sound { potential, at_work, balance: now.balance };
        let round_off = ROUND_OFF * (now.kinetic + now.potential.abs() + potential.abs());
        let change = now.balance - before;
        if change.abs() <= BROKEN.max(TOLERATED * rtol) * at_work + round_off {
            return None;
        }
        *self = Audit::Told;
        (at_work > 0.0).then_some(change / at_work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_balance_is_told_once() {
        let mut audit = Audit::default();
        let books = |kinetic: f64, balance: f64| Books { kinetic, potential: 10.0 - kinetic, balance };
        for balance in [0.0, 1e-7, -3e-6] {
            assert_eq!(audit.look(books(4.0, balance), 1e-9), None, "{balance}");
        }
        let missing = audit.look(books(2.0, -4e-3), 1e-9);
        assert!(missing.is_some_and(|share| (share + 0.99925e-3).abs() < 1e-12), "{missing:?}");
        assert_eq!(audit.look(books(2.0, -4e-3), 1e-9), None);
    }

    #[test]
    fn round_off_of_a_large_potential_is_nothing() {
        let mut audit = Audit::default();
        for balance in [0.0, 3e-7] {
            assert_eq!(audit.look(Books { kinetic: 1e-3, potential: 1e6, balance }, 1e-9), None);
        }
    }
}
