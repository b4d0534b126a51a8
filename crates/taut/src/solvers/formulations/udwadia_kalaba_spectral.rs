//! Udwadia and Kalaba's formula with the root by eigenvectors: about 12 n³ operations.
//!
//! v̇ = a + M^(−1/2) (A M^(−1/2))⁺ (b − A a), [FumagalliMasarati2009] eq. (6); the formula is in
//! [`udwadia_kalaba`](super::udwadia_kalaba), the root in [`square_root`](super::square_root).

use super::square_root::spectral;
use super::udwadia_kalaba::by_root;
use super::{Answer, Dense, Full, Setup, SolveError};

/// Eq. (6) with the spectral decomposition of M.
#[derive(Clone, Debug)]
pub struct UdwadiaKalabaSpectral {
    setup: Setup,
}

impl Dense for UdwadiaKalabaSpectral {
    fn new(setup: &Setup) -> UdwadiaKalabaSpectral {
        UdwadiaKalabaSpectral { setup: *setup }
    }

    fn refuses(&self, full: &Full) -> Option<String> {
        full.refused_as_not_symmetric()
    }

    fn solve(&mut self, full: &Full) -> Result<Answer, SolveError> {
        full.finite()?;
        by_root(full, spectral(&full.M), &self.setup)
    }
}
