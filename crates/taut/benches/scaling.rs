//! Time and memory of one right-hand side per body, over the number of bodies: `cargo bench -p taut --bench scaling`.
//!
//! Minimum of repeats; read the ratios, not the nanoseconds.

#[allow(dead_code)] // shared with the example of the peers
mod mechanisms;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use taut::Model;
use taut::dynamics::{Dynamics, SolverSettings};

/// Counts the bytes in use.
struct Counting;
static IN_USE: AtomicUsize = AtomicUsize::new(0);

// Safety: every call is passed on unchanged; only the sizes are added up.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A name, how to make it, and the sizes.
type Case = (&'static str, fn(usize) -> Model, &'static [usize]);

fn main() {
    println!(
        "{:<12} {:>7} {:>12} {:>12} {:>12} {:>12}",
        "mechanism", "bodies", "ns/body", "rel. to 100", "B/body", "build us"
    );
    let all: [Case; 4] = [
        ("chain", mechanisms::chain, &[10, 100, 1_000, 10_000]),
        ("star", mechanisms::star, &[10, 100, 1_000, 10_000]),
        ("tree", mechanisms::tree, &[10, 100, 1_000, 10_000]),
        ("four-bars", mechanisms::four_bars, &[2, 10, 50, 100, 1_000, 5_000]),
    ];
    for (name, make, sizes) in all {
        let mut reference = None;
        for &n in sizes {
            let before = IN_USE.load(Ordering::Relaxed);
            let start = Instant::now();
            let model = make(n);
            let built = start.elapsed().as_secs_f64();
            let bodies = model.bodies.len();
            let (time, memory) = evaluate(&model, before);
            if bodies >= 100 && reference.is_none() {
                reference = Some(time);
            }
            let ratio = reference.map_or("-".to_string(), |r| format!("{:.2}", time / r));
            let nb = bodies as f64;
            println!(
                "{name:<12} {bodies:>7} {time:>12.1} {ratio:>12} {:>12.0} {:>12.2}",
                memory / nb,
                built * 1e6 / nb
            );
        }
    }
}

/// Nanoseconds per body of one evaluation, minimum of repeats; and the bytes in use beyond `before`, model included.
fn evaluate(model: &Model, before: usize) -> (f64, f64) {
    let n = model.bodies.len();
    let mut dynamics = Dynamics::new(model, &SolverSettings::default());
    dynamics.set_tolerance(1e-8);
    let mut y = vec![0.0; dynamics.dimension()];
    dynamics.pack(&model.initial_state(), &mut y);
    let mut rates = vec![0.0; y.len()];
    let memory = (IN_USE.load(Ordering::Relaxed) - before) as f64;
    let count = (100_000 / n).max(2);
    let mut best = f64::INFINITY;
    for _ in 0..9 {
        let start = Instant::now();
        for k in 0..count {
            dynamics.rates(1e-3 * k as f64, black_box(&y), &mut rates).expect("regular");
        }
        best = best.min(start.elapsed().as_secs_f64() / count as f64);
    }
    (best * 1e9 / n as f64, memory)
}
