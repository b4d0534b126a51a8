//! Udwadia and Kalaba's formula with the root by the Schur form: about 50/3 n³ operations.
//!
//! v̇ = a + M^(−1/2) (A M^(−1/2))⁺ (b − A a), [FumagalliMasarati2009] eq. (6); the formula is in
//! [`udwadia_kalaba`](super::udwadia_kalaba), the root in [`square_root`](super::square_root).

use super::square_root::schur;
use super::udwadia_kalaba::by_root;
use super::{Answer, Dense, Full, Setup, SolveError};

/// Eq. (6) with the Schur form of M.
#[derive(Clone, Debug)]
pub struct UdwadiaKalabaSchur {
    setup: Setup,
}

impl Dense for UdwadiaKalabaSchur {
    fn new(setup: &Setup) -> UdwadiaKalabaSchur {
        UdwadiaKalabaSchur { setup: *setup }
    }

    fn refuses(&self, full: &Full) -> Option<String> {
        full.refused_as_not_symmetric()
    }

    fn solve(&mut self, full: &Full) -> Result<Answer, SolveError> {
        full.finite()?;
        by_root(full, schur(&full.M), &self.setup)
    }
}
