use super::*;

/// Numbers in (−1, 1) that are the same on every machine.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub(crate) fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| self.roll())
    }
}

#[test]
fn experiment() {
    for (name, law, mu_max) in
        [("nn", 0, 0.0), ("wedge", 1, 1.0), ("wedge3", 1, 3.0), ("cone", 2, 1.0), ("cone3", 2, 3.0), ("cone6", 3, 1.0)]
    {
        for (blocks, dof) in [(1, 6), (2, 6), (4, 6), (8, 12), (20, 30), (40, 60)] {
            let (mut fail, mut direct, mut steps, mut sweeps, n) = (0, 0, 0, 0, if blocks > 10 { 20 } else { 300 });
            let t = std::time::Instant::now();
            for seed in 0..n {
                let mut dice = Dice::new(seed + 1);
                let laws: Vec<Law> = (0..blocks)
                    .map(|_| {
                        let mu = mu_max * dice.roll().abs();
                        match law {
                            0 => Law::NonNegative,
                            1 => Law::Wedge { mu },
                            2 => Law::Cone { mu },
                            _ => Law::Cone6 { mu, spin: 0.1 * mu, roll: 0.05 * mu },
                        }
                    })
                    .collect();
                let k = laws.iter().map(Law::rows).sum();
                let A = dice.matrix(k, dof);
                let G = &A * A.transpose();
                // solvable: normals approach with a velocity of the bodies
                let c = &A * dice.matrix(dof, 1).column(0);
                let a = solve(&G, &c, &laws, None).unwrap();
                steps += a.newton_steps;
                sweeps += a.sweeps;
                if !a.outcome.is_converged() {
                    fail += 1;
                }
                if a.sweeps == 0 {
                    direct += 1;
                }
            }
            println!(
                "{name} blocks {blocks}: fail {fail}/{n} direct {direct} newton {} sweeps {} time {:?}",
                steps / n as usize,
                sweeps / n as usize,
                t.elapsed() / n as u32
            );
        }
    }
}
