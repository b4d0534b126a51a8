use taut::dynamics::{Choice, Dynamics};
#[path = "exp.rs"]
#[allow(dead_code)]
mod exp;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[2].parse().unwrap();
    let m = match a[1].as_str() { "chain" => exp::chain(n), "fb" => exp::fourbar(n), _ => exp::bricard() };
    let mut d = Dynamics::new(&m, &Choice::default());
    let mut y = vec![0.0; d.dimension()];
    d.pack(&m.initial_state(), &mut y);
    let mut dy = vec![0.0; y.len()];
    for _ in 0..a[3].parse::<usize>().unwrap() { d.rates(0.0, &y, &mut dy).unwrap(); }
}
