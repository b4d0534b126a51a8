//! The adversary: random mechanisms under random inputs that are not smooth, by all methods, against brute force.
//!
//! A case passes if the run refuses, stops, or says itself that it is doubtful or wrong, or if its error stays below a hundred times its
//! tolerance. Every case is made from one number, its seed: `ADVERSARY_SEED=17 cargo test --test adversary` repeats one alone,
//! and `cargo bench --bench adversary -- 20000` tries as many.

mod cases;

use cases::{FAMILIES, Judgement, judge};

/// Cases of each family in one go.
const EACH: u64 = 50;

fn family(k: usize) {
    let only = std::env::var("ADVERSARY_SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds: Vec<u64> = only.map_or_else(|| (0..EACH).collect(), |seed| vec![seed]);
    let silent: Vec<String> = seeds
        .into_iter()
        .filter_map(|seed| match judge(k, seed) {
            Judgement::Met | Judgement::Told(_) => None,
            Judgement::Silent(why) => Some(format!("{} {seed}: {why}", FAMILIES[k].0)),
        })
        .collect();
    assert!(silent.is_empty(), "wrong in silence:\n{}", silent.join("\n"));
}

#[test]
fn chains_of_masses_under_inputs_that_jump() {
    family(0);
}

#[test]
fn chains_whose_forces_switch_with_the_state() {
    family(1);
}

#[test]
fn pendulums_and_loops_under_pulses() {
    family(2);
}

#[test]
fn drivers_that_rest_and_jump() {
    family(3);
}

#[test]
fn throws_against_walls_stops_and_each_other() {
    family(4);
}

#[test]
fn things_at_rest_on_floors_and_ropes() {
    family(5);
}
