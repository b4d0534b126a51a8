//! Ten thousand random throws; none may pass through its target or gain energy:
//! `cargo run --release -p taut --example throws [COUNT [FIRST]]`.

use std::time::Instant;

#[path = "../tests/contact/throws.rs"]
#[allow(dead_code)]
mod throws;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|a| a.parse().ok());
    let (count, first) = (numbers.next().unwrap_or(10_000), numbers.next().unwrap_or(0));
    let begin = Instant::now();
    let (mut faults, mut slowest) = (0_u64, (0.0, 0));
    for number in first..first + count {
        let throw = throws::throw(number);
        let clock = Instant::now();
        if let Err(why) = throws::check_throw(&throw) {
            faults += 1;
            println!("throw {number}: {}: {why}", throw.what);
        }
        let took = clock.elapsed().as_secs_f64();
        if took > slowest.0 {
            slowest = (took, number);
        }
    }
    let took = begin.elapsed().as_secs_f64();
    println!("{count} throws, {faults} faults, {took:.1} s; the slowest took {:.2} s (throw {})", slowest.0, slowest.1);
}
