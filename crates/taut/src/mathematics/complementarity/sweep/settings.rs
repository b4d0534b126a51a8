//! How to sweep. The defaults are what settled stacks, walls and piles in the fewest sweeps.

/// In which order a sweep visits the contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// As they were declared.
    Forward,
    /// As they were declared and back; counts as two sweeps.
    Alternating,
}

/// Extrapolation between sweeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Acceleration {
    /// None.
    Plain,
    /// Anderson's, over this many past sweeps.
    Anderson {
        /// Number of past differences kept.
        depth: usize,
    },
}

/// How to sweep and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Residual of the laws that counts as solved, relative to the larger of |ĉ| and |p̂|.
    pub tolerance: f64,
    /// Bound on the sweeps.
    pub sweeps: usize,
    /// Factor on the change of each impulse, in (0, 2): 1 takes the exact solution, more overshoots. Friction and
    /// redundant contacts like somewhat less than 1.
    pub relaxation: f64,
    /// Order of visits.
    pub order: Order,
    /// Extrapolation.
    pub acceleration: Acceleration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            tolerance: 1e-8,
            sweeps: 1000,
            relaxation: 0.7,
            order: Order::Alternating,
            acceleration: Acceleration::Anderson { depth: 40 },
        }
    }
}
