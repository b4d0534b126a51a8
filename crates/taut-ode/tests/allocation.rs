//! Stepping, interpolating, editing and driving allocate nothing per step.
#![allow(missing_docs, unsafe_code)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;

use common::oscillator;
use taut_ode::{EventResponse, Events, Hook, Limits, Plan, ProblemParts, Refusal, StateEdit, integrate};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { Heap.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { Heap.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count() -> u64 {
    COUNT.with(Cell::get)
}

#[test]
fn steppers_allocate_nothing() {
    let before = count();
    drop(vec![1_u8; 10]);
    assert_eq!(count() - before, 1, "the allocator counts");
    for method in common::ANY {
        let mut system = oscillator();
        let mut stepper = common::stepper(method, 0.0, &[1.0, 0.0], 1e-6);
        let mut y = [0.0; 2];
        // Implicit methods make their matrices with the first step.
        stepper.step(&mut system, 1e3).expect("smooth");
        let before = count();
        for _ in 0..50 {
            stepper.step(&mut system, 1e3).expect("smooth");
            stepper.correct()[0] *= 1.0;
            let t = stepper.t_old() + 0.5 * stepper.h();
            stepper.interpolate(&mut system, t, &mut y).expect("inside");
            stepper.undo_step(0.9).expect("whole");
            stepper.step(&mut system, 1e3).expect("smooth");
            let t = stepper.t_old() + 0.5 * stepper.h();
            stepper.truncate(&mut system, t).expect("inside");
            stepper.jump()[1] *= 1.0;
        }
        assert_eq!(count(), before, "{method}");
    }
}

struct Crossings;

impl Events for Crossings {
    fn event_count(&self) -> usize {
        2
    }
    fn values(&mut self, _: f64, y: &[f64], g: &mut [f64]) {
        g.copy_from_slice(&[y[0], y[1] - 0.5]);
    }
    fn fired(&mut self, i: usize, _: f64, _: &mut [f64]) -> EventResponse {
        if i == 0 { EventResponse::Jump } else { EventResponse::Continue }
    }
}

impl Hook for Crossings {
    fn after_step(&mut self, _: f64, _: &mut [f64]) -> Result<StateEdit, Refusal> {
        Ok(StateEdit::Corrected)
    }
}

#[test]
fn the_driver_allocates_per_run_only() {
    for method in common::ANY {
        let allocations = |steps| {
            let mut system = oscillator();
            let mut stepper = common::stepper(method, 0.0, &[1.0, 0.0], 1e-6);
            let mut parts = ProblemParts { system: &mut system, events: &mut Crossings, hook: &mut Crossings };
            let plan = Plan::to(1e4).every_step().within(Limits { max_steps: Some(steps), ..Limits::default() });
            let before = count();
            integrate(&mut *stepper, &mut parts, &plan).expect("valid plan");
            count() - before
        };
        assert_eq!(allocations(10), allocations(1000), "{method}");
    }
}
