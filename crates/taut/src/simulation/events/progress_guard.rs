//! Stops a run that no longer advances.
//!
//! Two things stall a run without ending it: events that follow each other ever faster, and slips so slow that
//! their direction rotates faster than a step can follow. Neither is a numerical error, so nothing else would stop the run.

use serde::{Deserialize, Serialize};

/// Time span, s relative to 1 + t, and the number of jumps within it beyond which a run is stalled.
const MAX_JUMPS: [(f64, usize); 2] = [(1e-10, 500), (1e-6, 3000)];
/// Steps after which the progress of a slow slip is checked.
const STEPS_PER_CHECK: usize = 1000;
/// Mean step, s, below which the run is stalled, unless its steps grow.
const MIN_MEAN_STEP: f64 = 1e-6;
/// Rotation of the slip direction, rad, in these steps: a straight slip is followed, however slow.
const MIN_DIRECTION_CHANGE: f64 = 1.0;
/// Growth of the mean step from check to check with which the run recovers.
const RECOVERY_GROWTH: f64 = 1.5;

/// Steps after which a slow slip is checked for a crawl, and the number of steps of that length to the end that makes it one.
const STEPS_PER_CRAWL_CHECK: usize = 64;
const MANY_REMAINING_STEPS: f64 = 1e5;

/// Jumps since the beginning of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct JumpCount {
    since: f64,
    count: usize,
}

/// Counts of jumps and slow steps so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProgressGuard {
    jumps: [JumpCount; MAX_JUMPS.len()],
    creeping: Option<JumpCount>,
    /// Mean step at the previous check.
    mean: Option<f64>,
    /// The first slow slip, and the rotation of its direction since the last check.
    slip: Option<SlowSlip>,
    turned: f64,
    #[serde(default)]
    crawl: CrawlWatch,
}

/// Watches whether a slow slip makes the rest of the run very long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct CrawlWatch {
    span: Option<JumpCount>,
    /// Mean step of the previous span.
    mean: Option<f64>,
    reported: bool,
}

impl CrawlWatch {
    fn count(&mut self, t: f64, slips: bool, t_end: f64) -> Option<f64> {
        if self.reported || !slips {
            (self.span, self.mean) = (None, None);
            return None;
        }
        let span = self.span.get_or_insert(JumpCount { since: t, count: 0 });
        span.count += 1;
        if span.count <= STEPS_PER_CRAWL_CHECK {
            return None;
        }
        let mean = (t - span.since) / STEPS_PER_CRAWL_CHECK as f64;
        *span = JumpCount { since: t, count: 0 };
        let before = self.mean.replace(mean)?;
        self.reported = mean < RECOVERY_GROWTH * before && t_end - t > MANY_REMAINING_STEPS * mean;
        self.reported.then_some(mean)
    }
}

/// A sliding constraint and its slip rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SlowSlip {
    pub constraint: usize,
    pub rate: [f64; 2],
}

/// Whether the run still advances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunProgress {
    /// It advances.
    Advancing,
    /// It is stalled.
    Stalled,
}

impl ProgressGuard {
    /// Counts a jump, or an event without effect.
    pub fn count_jump(&mut self, t: f64) -> RunProgress {
        let mut wait = RunProgress::Advancing;
        for (span, (length, most)) in self.jumps.iter_mut().zip(MAX_JUMPS) {
            if t - span.since > length * (1.0 + t.abs()) || t < span.since {
                *span = JumpCount { since: t, count: 0 };
            }
            span.count += 1;
            if span.count > most {
                wait = RunProgress::Stalled;
            }
        }
        wait
    }

    /// The mean step, s, if the run crawls because of a very slow slip: once in a run. To be called for each step.
    pub fn detect_crawl(&mut self, t: f64, creeping: &[SlowSlip], t_end: f64) -> Option<f64> {
        self.crawl.count(t, !creeping.is_empty(), t_end)
    }

    /// Counts a step that ends at `t`, with these constraints slipping very slowly.
    pub fn count_step(&mut self, t: f64, creeping: &[SlowSlip]) -> RunProgress {
        let Some(first) = creeping.first() else {
            (self.creeping, self.mean, self.slip, self.turned) = (None, None, None, 0.0);
            return RunProgress::Advancing;
        };
        if let Some(before) = self.slip.replace(*first).filter(|s| s.constraint == first.constraint) {
            let ([a, b], [c, d]) = (before.rate, first.rate);
            self.turned += (a * d - b * c).atan2(a * c + b * d).abs();
        }
        let span = self.creeping.get_or_insert(JumpCount { since: t, count: 0 });
        span.count += 1;
        if span.count < STEPS_PER_CHECK {
            return RunProgress::Advancing;
        }
        let mean = (t - span.since) / STEPS_PER_CHECK as f64;
        *span = JumpCount { since: t, count: 0 };
        let before = self.mean.replace(mean);
        let turned = std::mem::take(&mut self.turned);
        let stuck = mean < MIN_MEAN_STEP
            && turned > MIN_DIRECTION_CHANGE
            && before.is_some_and(|before| mean < RECOVERY_GROWTH * before);
        if stuck { RunProgress::Stalled } else { RunProgress::Advancing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five balls with friction in a box took steps of 1e-7 s for hours, in silence.
    #[test]
    fn a_crawl_is_reported_soon_and_once() {
        let slow = [SlowSlip { constraint: 0, rate: [1e-7, 0.0] }];
        let reports = |h: f64, growth: f64, slips: &[SlowSlip]| -> Vec<u32> {
            let (mut guard, mut t, mut h) = (ProgressGuard::default(), 0.5, h);
            let mut step = |_: &u32| {
                (t, h) = (t + h, h * growth);
                guard.detect_crawl(t, slips, 2.0).is_some()
            };
            (0..1000).filter(|i| step(i)).collect()
        };
        assert_eq!(reports(1e-7, 1.0005, &slow).len(), 1);
        assert!(reports(1e-7, 1.0005, &slow)[0] < 200);
        assert!(reports(1e-4, 1.0, &slow).is_empty(), "the end is near");
        assert!(reports(1e-8, 1.02, &slow).is_empty(), "it comes out of it");
        assert!(reports(1e-7, 1.0, &[]).is_empty(), "nothing slips slowly");
    }

    #[test]
    fn jumps_in_no_time_and_in_hardly_any_are_too_many() {
        for (apart, most) in [(1e-14, 501), (1e-10, 3001)] {
            let mut guard = ProgressGuard::default();
            let end = (1..).find(|i| guard.count_jump(2.0 + f64::from(*i) * apart) == RunProgress::Stalled);
            assert_eq!(end, Some(most), "{apart} s apart");
        }
        let mut guard = ProgressGuard::default();
        assert!(
            (1..20_000).all(|i| guard.count_jump(2.0 + f64::from(i) * 1e-8) == RunProgress::Advancing),
            "these come forward"
        );
    }

    #[test]
    fn a_creep_of_steady_steps_ends_and_one_of_growing_steps_goes_on() {
        let run = |first: f64, growth: f64, turn: f64| {
            let (mut guard, mut t, mut h) = (ProgressGuard::default(), 1.0, first);
            (0..10_000).all(|i| {
                (t, h) = (t + h, h * growth);
                let (s, c) = (turn * f64::from(i)).sin_cos();
                guard.count_step(t, &[SlowSlip { constraint: 0, rate: [1e-5 * c, 1e-5 * s] }]) == RunProgress::Advancing
            })
        };
        assert!(!run(1e-7, 1.0, 0.01));
        assert!(run(1e-7, 1.0, 0.0), "it goes straight on");
        assert!(run(1e-8, 1.002, 0.01), "it comes out of it");
        assert!(run(1e-5, 1.0, 0.01), "it comes forward");
        let mut guard = ProgressGuard::default();
        assert!(
            (0..10_000).all(|i| guard.count_step(1.0 + 1e-9 * f64::from(i), &[]) == RunProgress::Advancing),
            "nothing slips"
        );
    }
}
