//! Constraint forces first, against all unknowns at once ([MitiguyBanerjee2000]: "nearly 8 times").

use super::timing::{least_time, solution_time, test_equations};
use super::{Claim, Outline};
use std::hint::black_box;
use taut::formulations::Method;

const SIZES: [(usize, usize); 7] = [(6, 2), (10, 10), (30, 30), (100, 100), (100, 50), (100, 10), (200, 200)];

pub fn outline() -> Outline {
    let head = ["n", "m", "at once, us", "/ forces first", "/ forces alone", "cube law"];
    Outline {
        title: "Constraint forces first, against Newton-Euler at once",
        statement: "Mitiguy & Banerjee 2000: \"nearly 8 times\" if there are as many constraints as accelerations, by the \
            cubic law ((n + m)/m)^3. This holds for the forces alone, if the inertia of each body is inverted \
            separately; with a full M, its factorisation takes most of the gain.",
        head: head.map(str::to_string).to_vec(),
        row_names: SIZES.iter().map(|(n, _)| n.to_string()).collect(),
    }
}

/// Times both methods on full matrices.
pub fn measure() -> Claim {
    let mut cells = Vec::new();
    for (n, m) in SIZES {
        let full = test_equations(n, m);
        let times = solution_time(Method::Lagrange, &full).zip(solution_time(Method::DenseConstraintForce, &full));
        let (Some((once, first)), Some(inverse)) = (times, full.M.clone().try_inverse()) else {
            cells.push(vec![m.to_string()]);
            continue;
        };
        // A M⁻¹ Aᵀ λ = … by the same LU as the full system: the cost that remains if M⁻¹ is free, as it is body by body.
        let S = &full.A * inverse * full.A.transpose();
        let alone = least_time(|| drop(black_box(S.clone().lu().solve(&full.b))));
        let cube = ((n + m) as f64 / m as f64).powi(3);
        cells.push(vec![
            m.to_string(),
            format!("{:.1}", once * 1e6),
            format!("{:.2}", once / first),
            format!("{:.1}", once / alone),
            format!("{cube:.1}"),
        ]);
    }
    Claim { outline: outline(), cells, figure: None }
}
