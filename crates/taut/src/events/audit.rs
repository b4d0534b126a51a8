//! Whether the books of a run with contacts are in order: energy that comes or goes and that nothing accounts for.

/// Share of the energy at work beyond which the balance is broken.
const BROKEN: f64 = 1e-6;
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
#[derive(Clone, Copy, Debug, Default)]
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
    },
    /// It was told.
    Told,
}

impl Audit {
    /// The share of the energy at work that is missing (below zero) or too much, the first time that this is no error of
    /// integration.
    pub fn look(&mut self, now: Books) -> Option<f64> {
        let (potential, at_work) = match *self {
            Audit::Fresh => (now.potential, now.kinetic),
            Audit::Sound { potential, at_work } => {
                (potential, at_work.max(now.kinetic + (now.potential - potential).abs()))
            }
            Audit::Told => return None,
        };
        *self = Audit::Sound { potential, at_work };
        let round_off = ROUND_OFF * (now.kinetic + now.potential.abs() + potential.abs());
        if now.balance.abs() <= BROKEN * at_work + round_off {
            return None;
        }
        *self = Audit::Told;
        Some(now.balance / at_work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_balance_is_told_once() {
        let mut audit = Audit::default();
        let books = |kinetic: f64, balance: f64| Books { kinetic, potential: 10.0 - kinetic, balance };
        for balance in [0.0, 1e-7, -4e-6] {
            assert_eq!(audit.look(books(4.0, balance)), None, "{balance}");
        }
        let missing = audit.look(books(2.0, -4e-3));
        assert!(missing.is_some_and(|share| (share + 1e-3).abs() < 1e-15), "{missing:?}");
        assert_eq!(audit.look(books(2.0, -4e-3)), None);
    }

    #[test]
    fn round_off_of_a_large_potential_is_nothing() {
        let mut audit = Audit::default();
        for balance in [0.0, 3e-7] {
            assert_eq!(audit.look(Books { kinetic: 1e-3, potential: 1e6, balance }), None);
        }
    }
}
