//! Butcher tableaux with their error estimates and continuous extensions.

mod dop853;

pub use dop853::DOP853;

/// How the local error of a step is estimated.
#[derive(Debug, Clone, Copy)]
pub enum ErrorEstimate {
    /// Not at all: fixed step.
    None,
    /// `h sum_j e_j k_j`, the difference to an embedded solution.
    Embedded(&'static [f64]),
    /// Two estimates of orders 5 and 3 combined to one that behaves as `h^8`.
    // [HairerNorsettWanner1993] II.10 eq. (10.17)
    Combined { fifth: &'static [f64], third: &'static [f64] },
}

/// When the derivative at the end of the step is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndStage {
    /// By the error estimate: evaluated with every attempt, then first stage of the next step.
    WithAttempt,
    /// Not before the next step or the dense output; an edited state thus costs no evaluation.
    OnDemand,
}

/// An explicit Runge-Kutta method.
///
/// Stages are numbered from 0; stage `b.len()` is the derivative at the end of the step, those
/// beyond serve the dense output only. The dense output is
/// `y(t + theta h) = y0 + theta (r0 + (1 - theta) (r1 + theta (r2 + (1 - theta) (r3 + ...))))`
/// where `r0..r2` make it the cubic Hermite interpolant and `r_(3+i) = h sum_j dense[i][j] k_j`.
// [HairerNorsettWanner1993] II.6, form of `contd5` and `contd8`
#[derive(Debug, Clone, Copy)]
pub struct Tableau {
    pub order: u32,
    pub interpolation_order: u32,
    /// The error estimate behaves as `h` to this power, the order of its solution plus one.
    pub error_exponent: u32,
    /// Nodes of all stages.
    pub c: &'static [f64],
    /// Row `i` leads to stage `i`; empty for the first and for the end stage (that row is `b`).
    pub a: &'static [&'static [f64]],
    pub b: &'static [f64],
    pub error: ErrorEstimate,
    /// Bound of stability for decay, `h |lambda|` of negative `lambda`.
    pub decay: f64,
    pub end_stage: EndStage,
    pub dense: &'static [&'static [f64]],
}

impl Tableau {
    /// Distance of `c` to the nearest node, as a share of the step.
    pub fn clearance(&self, c: f64) -> f64 {
        self.c.iter().map(|node| (node - c).abs()).fold((1.0 - c).abs(), f64::min)
    }

    /// The middle of the widest gap between two nodes, as a share of the step.
    pub fn widest_gap(&self) -> f64 {
        let (mut width, mut middle) = (0.0, 0.5);
        for &low in self.c {
            let high = self.c.iter().copied().filter(|c| *c > low).fold(1.0, f64::min);
            if high - low > width {
                (width, middle) = (high - low, 0.5 * (low + high));
            }
        }
        middle
    }

    /// Index of the derivative at the end of the step.
    pub fn end(&self) -> usize {
        self.b.len()
    }
}

/// The classical Runge-Kutta method.
// [HairerNorsettWanner1993] II.1 table 1.2
pub static RK4: Tableau = Tableau {
    order: 4,
    interpolation_order: 3,
    error_exponent: 5,
    c: &[0.0, 0.5, 0.5, 1.0, 1.0],
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0], &[]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    error: ErrorEstimate::None,
    decay: 2.785,
    end_stage: EndStage::OnDemand,
    dense: &[],
};

/// P. Bogacki, L. F. Shampine, A 3(2) pair of Runge-Kutta formulas, Appl. Math. Lett. 2 (1989).
pub static BOGACKI_SHAMPINE: Tableau = Tableau {
    order: 3,
    interpolation_order: 3,
    error_exponent: 3,
    c: &[0.0, 0.5, 0.75, 1.0],
    a: &[&[], &[0.5], &[0.0, 0.75], &[]],
    b: &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0],
    error: ErrorEstimate::Embedded(&[5.0 / 72.0, -1.0 / 12.0, -1.0 / 9.0, 1.0 / 8.0]),
    decay: 2.512,
    end_stage: EndStage::WithAttempt,
    dense: &[],
};

/// J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math. 6
/// (1980); the continuous extension is Shampine's (Math. Comp. 46, 1986) in Hairer's form.
// [HairerNorsettWanner1993] II.5 table 5.2, II.6
pub static DORMAND_PRINCE: Tableau = Tableau {
    order: 5,
    interpolation_order: 4,
    error_exponent: 5,
    c: &[0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0],
    a: &[
        &[],
        &[1.0 / 5.0],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        &[],
    ],
    b: &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    error: ErrorEstimate::Embedded(&[
        71.0 / 57600.0,
        0.0,
        -71.0 / 16695.0,
        71.0 / 1920.0,
        -17253.0 / 339_200.0,
        22.0 / 525.0,
        -1.0 / 40.0,
    ]),
    decay: 3.306,
    end_stage: EndStage::WithAttempt,
    dense: &[&[
        -12_715_105_075.0 / 11_282_082_432.0,
        0.0,
        87_487_479_700.0 / 32_700_410_799.0,
        -10_690_763_975.0 / 1_880_347_072.0,
        701_980_252_875.0 / 199_316_789_632.0,
        -1_453_857_185.0 / 822_651_844.0,
        69_997_945.0 / 29_380_423.0,
    ]],
};

#[cfg(test)]
mod tests;
