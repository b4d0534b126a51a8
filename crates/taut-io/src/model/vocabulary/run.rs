//! The top of the file, parts and repetitions, settings and outputs.

use super::{ANYTHING, Field, LENGTH, PER_TIME, PLAIN, TIME, What, may, must};
use taut::drift::Drift;
use taut::formulations::Method;

pub(crate) const TOP: &[Field] = &[
    must("taut", What::Whole, "Version of the format: 1."),
    may("title", What::Text, "A title."),
    may("gravity", super::GRAVITY, "Uniform gravity; left out, there is none."),
    may("include", What::Texts, "Files taken in: TOML, URDF or MJCF."),
    may("params", What::Params, "Names for numbers."),
    may("bodies", What::Section, "The bodies."),
    may("markers", What::Section, "Frames on bodies and on the ground."),
    may("joints", What::Section, "The joints."),
    may("drivers", What::Section, "Prescribed motions."),
    may("constraints", What::Section, "Gears, relations, rolling, ropes, limits, friction, formulas."),
    may("forces", What::Section, "The forces."),
    may("beams", What::Section, "Beams: lines of nodes with elements between them."),
    may("variables", What::Section, "Numbers that events change."),
    may("surfaces", What::Section, "Shapes that can touch."),
    may("contacts", What::Section, "What they do where they touch."),
    may("events", What::Section, "What happens when."),
    may("signals", What::Section, "Functions of time by name."),
    may("measures", What::Section, "Coordinates shown in the results."),
    may("parts", What::Section, "Other files taken in as parts."),
    may("repeat", What::Section, "Repeated elements."),
    may("settings", What::Section, "How to run."),
    may("outputs", What::Section, "What to write."),
    may("expect", What::Section, "Values that the results must have."),
];

/// Names of the integrators.
const METHODS: &[&str] =
    &["dop853", "dormand_prince", "bogacki_shampine", "rk4", "radau5", "trapezoidal", "two_step", "generalised_alpha"];

pub(crate) const SETTINGS: &[Field] = &[
    may("duration", What::Number(TIME), "Simulated time."),
    may("end_time", What::Number(TIME), "Time at the end, instead of `duration`."),
    may("start_time", What::Number(TIME), "Time at the start."),
    may("method", What::Choice(METHODS), "Integrator; the last four are implicit, for what is stiff."),
    may("rtol", What::Number(PLAIN), "Relative tolerance."),
    may("atol", What::Number(PLAIN), "Absolute tolerance."),
    may("step", What::Number(TIME), "Fixed step of rk4 and of time stepping, first step of the others."),
    may(
        "pace",
        What::Choice(&["varying", "fixed"]),
        "Whether the error steers the steps, or all are as long as `step`.",
    ),
    may(
        "spectral_radius",
        What::Number(PLAIN),
        "What generalised_alpha and two_step leave of the fastest oscillation per step: 0 (none) to 1 (all).",
    ),
    may(
        "update",
        What::Choice(&["spatial", "convected"]),
        "Axes of the steps of generalised_alpha: the world's (if left out), or those of each body, for rotors.",
    ),
    may(
        "stiff",
        What::Choice(&["propose", "switch", "ignore"]),
        "Where stability holds an explicit method back: say so (if left out), go on with radau5, or nothing.",
    ),
    may("max_step", What::Number(TIME), "Largest step."),
    may("formulation", What::Choice(Method::NAMES), "How the reactions are found."),
    may("penalty", What::Number(ANYTHING), "Penalty factor; 1e5 times the largest entry of M if left out."),
    may("rank_tolerance", What::Number(PLAIN), "Relative tolerance of pseudo-inverses."),
    may("drift", What::Choice(Drift::NAMES), "Drift control."),
    may("weight", What::Choice(&["mass", "identity"]), "Norm of the projection; mass if left out."),
    may("weights", What::Numbers(ANYTHING), "Norm of the projection, one number per velocity, instead of `weight`."),
    may("alpha", What::Number(PER_TIME), "Baumgarte's alpha; 5/s if left out."),
    may("beta", What::Number(PER_TIME), "Baumgarte's beta; alpha if left out."),
    may("gain", What::Number(PER_TIME), "Gain of Braun and Goldfarb; 1/step if left out."),
    may("above", What::Number(ANYTHING), "Residual above which a threshold control projects; 1e-6 if left out."),
    may("start", What::Choice(&["assemble", "as_given"]), "What is done about the pose before the run."),
    may(
        "march",
        What::Choice(&["automatic", "events", "time_stepping"]),
        "Whether events are located, or many contacts solved step by step; automatic if left out.",
    ),
    may(
        "paradox",
        What::Choice(&["stop", "impulse"]),
        "What is done where Coulomb's law has no solution: the run ends (if left out), or the velocities jump.",
    ),
    may("max_steps", What::Whole, "Most steps."),
    may("wall_clock", What::Number(TIME), "Longest time by the clock on the wall."),
];

pub(crate) const FAMILIES: &[&str] = &[
    "all",
    "state",
    "accelerations",
    "markers",
    "measures",
    "joints",
    "reactions",
    "multipliers",
    "efforts",
    "energy",
    "residuals",
    "solver",
];

pub(crate) const OUTPUTS: &[Field] = &[
    may("every", What::Number(TIME), "Interval of output."),
    may("times", What::Numbers(TIME), "Times of output."),
    may("at", What::Choice(&["steps", "ends"]), "Output at every step, or at both ends only."),
    may("columns", What::Choices(FAMILIES), "Families of columns."),
    may("only", What::Texts, "Names of columns to keep; * stands for anything."),
];

pub(crate) const PART: &[Field] = &[
    must("file", What::Text, "The file, from the folder of this one."),
    may("params", What::Params, "Parameters replaced."),
    may("position", What::Vector(&[2, 3], LENGTH), "Where the part stands."),
    may("orientation", What::Orientation, "How it stands."),
];

pub(crate) const REPEAT: &[Field] = &[
    must("for", What::Text, "Name of the counter."),
    may("from", What::Whole, "First value; 0 if left out."),
    must("to", What::Whole, "Last value."),
    may("bodies", What::Section, "Bodies; {i} in names."),
    may("markers", What::Section, "Markers."),
    may("joints", What::Section, "Joints."),
    may("drivers", What::Section, "Drivers."),
    may("constraints", What::Section, "Constraints."),
    may("forces", What::Section, "Forces."),
    may("variables", What::Section, "Variables."),
    may("surfaces", What::Section, "Surfaces."),
    may("contacts", What::Section, "Contacts."),
    may("events", What::Section, "Events."),
    may("signals", What::Section, "Signals."),
    may("measures", What::Section, "Measures."),
    may("parts", What::Section, "Parts."),
    may("repeat", What::Section, "Repetitions within this one."),
];

pub(crate) const EXPECT: &[Field] = &[
    must("column", What::Text, "A column of the results."),
    may("at", What::Number(TIME), "Time."),
    may("of", What::Choice(&["max", "min", "end"]), "Which value, instead of a time."),
    must("value", What::Number(ANYTHING), "The value."),
    must("tolerance", What::Number(ANYTHING), "Largest difference allowed."),
    may("source", What::Text, "Where the value comes from."),
];
