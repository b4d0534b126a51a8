#![no_main]

#[path = "../../crates/taut-sweep/tests/fuzz/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::run("sweep_manifest", bytes));
