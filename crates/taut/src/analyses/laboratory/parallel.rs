//! Parallel map with ordered results.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `work` for each index below `count` on `jobs` threads; a free thread takes the next index.
pub fn in_parallel<T: Send>(jobs: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, count.max(1)) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(slot) = slots.get(i) else { break };
                    let found = work(i);
                    // Each slot is filled once, by one thread, so its lock cannot be poisoned.
                    if let Ok(mut slot) = slot.lock() {
                        *slot = Some(found);
                    }
                }
            });
        }
    });
    slots.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::in_parallel;

    #[test]
    fn results_are_in_the_order_of_the_work() {
        for jobs in [1, 2, 7, 100] {
            let found = in_parallel(jobs, 20, |i| {
                std::thread::sleep(std::time::Duration::from_micros(200 * (20 - i as u64)));
                i * i
            });
            assert_eq!(found, (0..20).map(|i| i * i).collect::<Vec<_>>());
        }
        assert!(in_parallel(3, 0, |i| i).is_empty());
    }
}
