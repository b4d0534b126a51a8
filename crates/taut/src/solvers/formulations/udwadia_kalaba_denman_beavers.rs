//! Udwadia and Kalaba's formula with the root by iteration: two inverses per step, and more steps the worse the
//! condition of M.
//!
//! v̇ = a + M^(−1/2) (A M^(−1/2))⁺ (b − A a), [FumagalliMasarati2009] eq. (6); the formula is in
//! [`udwadia_kalaba`](super::udwadia_kalaba), the root in [`square_root`](super::square_root).

use super::square_root::denman_beavers;
use super::udwadia_kalaba::by_root;
use super::{Answer, Dense, Full, Setup, SolveError};

/// Eq. (6) with the iteration of Denman and Beavers.
#[derive(Clone, Debug)]
pub struct UdwadiaKalabaDenmanBeavers {
    setup: Setup,
}

impl Dense for UdwadiaKalabaDenmanBeavers {
    fn new(setup: &Setup) -> UdwadiaKalabaDenmanBeavers {
        UdwadiaKalabaDenmanBeavers { setup: *setup }
    }

    fn refuses(&self, full: &Full) -> Option<String> {
        full.refused_as_not_symmetric()
    }

    fn solve(&mut self, full: &Full) -> Result<Answer, SolveError> {
        full.finite()?;
        by_root(full, denman_beavers(&full.M).map(|(root, _)| root), &self.setup)
    }
}
