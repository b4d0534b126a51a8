#![no_main]

#[path = "../../crates/taut-io/tests/fuzz/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::run("c81", bytes));
