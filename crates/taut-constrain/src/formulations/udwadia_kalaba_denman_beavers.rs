//! Udwadia and Kalaba's formula with the root by iteration: two inverses per step, and more steps the worse the
//! condition of M.

use super::square_root::denman_beavers;
use super::udwadia_kalaba::with_square_root;
use super::{DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, SolveError};

/// Eq. (6) with the iteration of Denman and Beavers.
///
/// v̇ = a + M^(−1/2) (A M^(−1/2))⁺ (b − A a), \[FumagalliMasarati2009\] eq. (6); the formula is in
/// [`udwadia_kalaba`](super::udwadia_kalaba), the root in [`square_root`](super::square_root).
#[derive(Clone, Debug)]
pub struct UdwadiaKalabaDenmanBeavers {
    setup: FormulationParameters,
}

impl DenseFormulation for UdwadiaKalabaDenmanBeavers {
    fn new(setup: &FormulationParameters) -> UdwadiaKalabaDenmanBeavers {
        UdwadiaKalabaDenmanBeavers { setup: *setup }
    }

    fn unsupported_reason(&self, full: &DenseEquations) -> Option<String> {
        full.symmetry_required().or_else(|| full.definite_mass_required())
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        with_square_root(full, denman_beavers(&full.M).map(|(root, _)| root), &self.setup)
    }
}
