//! The adversary at length: `cargo bench --bench adversary -- 20000` tries as many cases and lists those that are wrong in silence.

#[path = "../tests/adversary/cases/mod.rs"]
mod cases;

use cases::{FAMILIES, Judgement, judge};
use std::time::Instant;

fn main() {
    let count: u64 = std::env::args().filter_map(|a| a.parse().ok()).next().unwrap_or(600);
    let clock = Instant::now();
    for (k, (name, _)) in FAMILIES.iter().enumerate() {
        let (mut met, mut told, mut silent) = (0, 0, 0);
        for seed in 0..count / FAMILIES.len() as u64 {
            match judge(k, seed) {
                Judgement::Met => met += 1,
                Judgement::Told(_) => told += 1,
                Judgement::Silent(why) => {
                    silent += 1;
                    println!("{name} {seed}: {why}");
                }
            }
        }
        println!("{name}: {met} met, {told} told, {silent} silent");
    }
    println!("{:.0?}", clock.elapsed());
}
