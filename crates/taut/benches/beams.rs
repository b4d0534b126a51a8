//! Cost of implicit steps along a beam: time per step and element, from 10 elements to 10,000.
//!
//! Run with `cargo bench -p taut --bench beams`. What is shown is the growth, not the time: the ratio of the cost per element
//! to that of the first row should stay near one.

use cpu_time::ProcessTime;
use taut::analyses::{Integrator, Run, Simulation, Transient};
use taut::beams::{Beam, Section};
use taut::constraints::Joint;
use taut::{Model, Spec};

/// A cantilever that falls.
fn cantilever(elements: usize) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]);
    let section = Section::diagonal([1e6, 4e5, 4e5, 200.0, 300.0, 300.0], 1.0, [2e-4, 1e-4, 1e-4]);
    spec.beam("beam", Beam::straight([0.0; 3], [10.0, 0.0, 0.0], section, elements));
    spec.constraint("clamp", Joint::weld("ground", "beam_0"));
    spec.build().expect("a beam that can be built")
}

fn main() {
    let steps = 10;
    println!("{:>18} {:>9} {:>14} {:>16} {:>8}", "method", "elements", "ms per step", "us per element", "ratio");
    for method in [Integrator::GeneralisedAlpha, Integrator::RadauIia5, Integrator::TwoStep] {
        let mut first = None;
        for elements in [10, 100, 1000, 10_000] {
            let model = cantilever(elements);
            let settings = Transient::to(1.0).integrator(method).fixed_step(1e-3).tolerance(1e-6, 1e-8);
            let mut run = Simulation::new(&model, &model.initial_state(), &settings).expect("a run that can begin");
            run.steps(2);
            let clock = ProcessTime::now();
            run.steps(steps);
            let ms = clock.elapsed().as_secs_f64() * 1e3 / steps as f64;
            let each = 1e3 * ms / elements as f64;
            let ratio = each / *first.get_or_insert(each);
            println!("{:>18} {elements:>9} {ms:>14.3} {each:>16.2} {ratio:>8.2}", method.name());
        }
    }
}
