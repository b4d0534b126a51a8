//! Runs members in memory, for programs that distribute them and collect the rows themselves.

use crate::execute::Progress;
use crate::measure::Lookup;
use crate::member::{MemberResult, Status};
use crate::plan::{MemberSolution, Plan};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Wall-clock time between two calls of the observer.
const REFRESH: Duration = Duration::from_millis(25);

/// Completes the row of a member on the thread that computed it.
pub type Completion<'a> = dyn Fn(&mut MemberResult, Option<MemberSolution>) + Sync + 'a;

/// Computes members on `jobs` threads and returns their rows, sorted. The observer is called at least every 25 ms; if the flag was
/// set, members in progress are missing.
///
/// The rows do not depend on the number of threads, nor on the other members of the range: each is computed from the model alone.
pub fn run_members(
    plan: &Plan,
    members: Range<usize>,
    jobs: usize,
    flag: Option<&'static AtomicBool>,
    complete: &Completion,
    observer: &mut dyn FnMut(Progress),
) -> Vec<MemberResult> {
    let members = members.start..members.end.min(plan.design().len());
    let next = AtomicUsize::new(members.start);
    let stopped = || flag.is_some_and(|f| f.load(Ordering::Relaxed));
    let mut progress = Progress { total: members.len(), done: 0, failed: 0 };
    let mut rows = Vec::with_capacity(members.len());
    std::thread::scope(|scope| {
        let (sender, receiver) = channel::<MemberResult>();
        for _ in 0..jobs.clamp(1, members.len().max(1)) {
            let sender = sender.clone();
            let (next, stopped, end) = (&next, &stopped, members.end);
            scope.spawn(move || {
                let mut lookup = Lookup::default();
                while !stopped() {
                    let member = next.fetch_add(1, Ordering::Relaxed);
                    if member >= end {
                        return;
                    }
                    let Some((mut row, solution)) = plan.run_member(member, None, &mut lookup, flag) else { return };
                    complete(&mut row, solution);
                    if sender.send(row).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(REFRESH) {
                Ok(row) => {
                    progress.done += 1;
                    progress.failed += usize::from(row.status != Status::Finished);
                    rows.push(row);
                    if !progress.done.is_multiple_of(64) {
                        continue;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            observer(progress);
        }
    });
    rows.sort_unstable_by_key(|row| row.member);
    rows
}
