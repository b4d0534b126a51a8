//! Energy drift of the double four-bar under different formulations. [Kamaraj2021] Table 1

use crate::reproduce::Findings;
use crate::reproduce::row::Row;
use crate::reproduce::trouble::Trouble;

pub fn compute(found: &mut Findings) -> Result<(), Trouble> {
    for (who, printed, why) in [
        ("Mouzo: augmented Lagrangian, penalty 1e15, trapezoidal rule, h = 0.01", "0.029", TRAPEZOIDAL),
        ("Pastorino, Cosco: augmented Lagrangian, 8e8, trapezoidal rule, h = 0.01", "0.0877", TRAPEZOIDAL),
        ("Masarati: Lagrange multipliers, MBDyn, h = 0.008", "0.09", TWO_STEP),
        ("Cuadrado: augmented Lagrangian, 1e9, trapezoidal rule, h = 0.01", "0.0917", TRAPEZOIDAL),
    ] {
        found.push(Row::new("Table 1", who, "J").printed(printed).pending(why));
    }
    Ok(())
}

const TRAPEZOIDAL: &str = "waits for the implicit trapezoidal rule with an augmented Lagrangian.";
const TWO_STEP: &str = "waits for the implicit integrators of index 3; the printed value is that of a two-step scheme with \
                        spectral radius 0.6, and peaks at the bottom of the swing.";
