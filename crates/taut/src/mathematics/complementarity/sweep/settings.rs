//! Settings of the sweeps. The defaults gave the fewest sweeps for stacks, walls and piles.

/// Order in which a sweep visits the contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SweepOrder {
    /// In the order in which they were added.
    Forward,
    /// In that order and back; counts as two sweeps.
    Alternating,
}

/// Convergence acceleration between sweeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SweepAcceleration {
    /// None.
    Plain,
    /// Anderson acceleration over this many past sweeps.
    Anderson {
        /// Number of past differences kept.
        depth: usize,
    },
}

/// Settings of a solve.
#[derive(Clone, Copy, Debug)]
pub struct SweepSettings {
    /// Tolerance on the residual of the laws, relative to the larger of |ĉ| and |p̂|.
    pub tolerance: f64,
    /// Maximum number of sweeps.
    pub max_sweeps: usize,
    /// Relaxation factor on the change of each impulse, in (0, 2): 1 takes the exact solution of the contact, more is over-relaxation.
    /// With friction and redundant contacts somewhat less than 1 converges better.
    pub relaxation: f64,
    /// Order of visits.
    pub order: SweepOrder,
    /// Convergence acceleration.
    pub acceleration: SweepAcceleration,
}

impl Default for SweepSettings {
    fn default() -> SweepSettings {
        SweepSettings {
            tolerance: 1e-8,
            max_sweeps: 1000,
            relaxation: 0.7,
            order: SweepOrder::Alternating,
            acceleration: SweepAcceleration::Anderson { depth: 40 },
        }
    }
}
