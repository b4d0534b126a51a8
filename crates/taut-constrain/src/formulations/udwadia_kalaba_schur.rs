//! Udwadia and Kalaba's formula with the root by the Schur form: about 50/3 n³ operations.

use super::square_root::schur;
use super::udwadia_kalaba::with_square_root;
use super::{DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, SolveError};

/// Eq. (6) with the Schur form of M.
///
/// v̇ = a + M^(−1/2) (A M^(−1/2))⁺ (b − A a), \[FumagalliMasarati2009\] eq. (6); the formula is in
/// [`udwadia_kalaba`](super::udwadia_kalaba), the root in [`square_root`](super::square_root).
#[derive(Clone, Debug)]
pub struct UdwadiaKalabaSchur {
    setup: FormulationParameters,
}

impl DenseFormulation for UdwadiaKalabaSchur {
    fn new(setup: &FormulationParameters) -> UdwadiaKalabaSchur {
        UdwadiaKalabaSchur { setup: *setup }
    }

    fn unsupported_reason(&self, full: &DenseEquations) -> Option<String> {
        full.symmetry_required().or_else(|| full.definite_mass_required())
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        with_square_root(full, schur(&full.M), &self.setup)
    }
}
