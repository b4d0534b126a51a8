//! Runs the members of a sweep on several threads.

use crate::folder::SweepFolder;
use crate::journal::JournalWriter;
use crate::measure::Lookup;
use crate::member::{MemberResult, Status};
use crate::plan::Plan;
use crate::table;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use taut_io::diagnostic::Diagnostic;

/// Wall-clock time between two calls of the observer without new members.
const REFRESH: Duration = Duration::from_millis(100);
/// Wall-clock time between two flushes to disk.
const FLUSH: Duration = Duration::from_secs(2);
/// Members that a thread may be ahead of the writer.
const WAITING_PER_THREAD: usize = 64;

/// How far a sweep is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Members of this sweep or shard.
    pub total: usize,
    /// Members that are done, those of earlier processes included.
    pub done: usize,
    /// Members among them that failed or stopped early.
    pub failed: usize,
}

/// How a sweep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    /// How far it came.
    pub progress: Progress,
    /// Whether the flag stopped it.
    pub interrupted: bool,
}

/// Computes the members that the folder does not have yet, on `jobs` threads, and writes the table. The observer is called with
/// new members; the flag stops the sweep.
///
/// The results do not depend on the number of threads: each member is computed from the model alone, and the table is sorted.
///
/// # Errors
/// An error of the file system; finished members are kept.
pub fn execute(
    plan: &Plan,
    folder: &SweepFolder,
    jobs: usize,
    flag: Option<&'static AtomicBool>,
    observer: &mut dyn FnMut(Progress, &[MemberResult]),
) -> Result<Execution, Diagnostic> {
    let (total, done) = folder.progress();
    let mut progress = Progress { total, done, failed: folder.index.failed };
    let own = |m: &usize| folder.shard.is_none_or(|s| s.contains(*m)) && folder.index.offsets[*m].is_none();
    let left: Vec<usize> = (0..plan.design().len()).filter(own).collect();
    let mut journal = JournalWriter::open(&folder.own, folder.index.bytes)?;
    let (next, failed_write) = (AtomicUsize::new(0), AtomicBool::new(false));
    let stopped = || flag.is_some_and(|f| f.load(Ordering::Relaxed)) || failed_write.load(Ordering::Relaxed);
    let runs = folder.runs();
    observer(progress, &[]);
    let written = std::thread::scope(|scope| -> Result<(), Diagnostic> {
        let (sender, receiver) = sync_channel::<MemberResult>(jobs.max(1) * WAITING_PER_THREAD);
        for _ in 0..jobs.clamp(1, left.len().max(1)) {
            let sender = sender.clone();
            let (next, left, runs, stopped) = (&next, &left, &runs, &stopped);
            scope.spawn(move || {
                let mut lookup = Lookup::default();
                while !stopped() {
                    let Some(&member) = left.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                    let Some((row, _)) = plan.run_member(member, Some(runs), &mut lookup, flag) else { return };
                    if sender.send(row).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let (mut batch, mut flushed) = (Vec::new(), Instant::now());
        loop {
            match receiver.recv_timeout(REFRESH) {
                Ok(row) => batch.push(row),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            batch.extend(receiver.try_iter().take(WAITING_PER_THREAD));
            let wrote = journal.append(&batch).and_then(|()| match flushed.elapsed() >= FLUSH {
                true => journal.sync(),
                false => Ok(()),
            });
            if flushed.elapsed() >= FLUSH {
                flushed = Instant::now();
            }
            if let Err(e) = wrote {
                // The receiver is dropped with this closure, so that no thread waits for it.
                failed_write.store(true, Ordering::Relaxed);
                return Err(e);
            }
            progress.done += batch.len();
            progress.failed += batch.iter().filter(|r| r.status != Status::Finished).count();
            observer(progress, &batch);
            batch.clear();
        }
    });
    written?;
    journal.sync()?;
    table::write(&folder.own, &folder.manifest)?;
    Ok(Execution { progress, interrupted: progress.done < progress.total })
}
