//! The top of the file, parts and repetitions, settings and outputs.

use super::choices::{
    CONTACT_METHODS, FAMILIES, INCREMENT_AXES, INITIAL_CONDITIONS, METHODS, PARADOX_RESPONSES, STATISTICS,
    STEP_CONTROLS, STIFFNESS_RESPONSES, names,
};
use super::{ANYTHING, Field, LENGTH, PER_TIME, PLAIN, TIME, What, may, must};
use taut::drift::Drift;
use taut::formulations::Method;

pub(crate) const TOP: &[Field] = &[
    must("taut", What::Whole, "Number of the format: 2."),
    may("title", What::Text, "A title."),
    may("gravity", super::GRAVITY, "Uniform gravity; default: none."),
    may("include", What::Texts, "Files to include: TOML, URDF or MJCF."),
    may("params", What::Params, "Named numbers."),
    may("bodies", What::Section, "The bodies."),
    may("markers", What::Section, "Frames on bodies and on the ground."),
    may("joints", What::Section, "The joints."),
    may("drivers", What::Section, "Prescribed motions."),
    may("constraints", What::Section, "Gears, relations, rolling, ropes, limits, friction, formulas."),
    may("forces", What::Section, "The forces."),
    may("beams", What::Section, "Beams: nodes along a line, connected by elements."),
    may("variables", What::Section, "Numbers that events change."),
    may("surfaces", What::Section, "Shapes that can come into contact."),
    may("contacts", What::Section, "Contact laws of pairs of surfaces."),
    may("events", What::Section, "Conditions and the actions they trigger."),
    may("signals", What::Section, "Named functions of time."),
    may("measures", What::Section, "Coordinates to include in the results."),
    may("parts", What::Section, "Other model files as parts of this one."),
    may("repeat", What::Section, "Repeated elements."),
    may("settings", What::Section, "How to run the model."),
    may("outputs", What::Section, "What to write."),
    may("expect", What::Section, "Values that the results must have."),
];

pub(crate) const SETTINGS: &[Field] = &[
    may("duration", What::Number(TIME), "Simulated time; default: 1 s."),
    may("end_time", What::Number(TIME), "Time at the end, instead of `duration`."),
    may("start_time", What::Number(TIME), "Time at the start; default: 0."),
    may(
        "method",
        What::Choice(&METHODS),
        "Integrator. The last four are implicit, for stiff problems; default: dop853.",
    ),
    may("rtol", What::Number(PLAIN), "Relative tolerance of a step; default: 1e-8."),
    may("atol", What::Number(PLAIN), "Absolute tolerance of a step; default: `rtol`."),
    may("step", What::Number(TIME), "Step of rk4, of fixed steps and of time stepping; first step of other methods."),
    may(
        "step_control",
        What::Choice(const { &names(&STEP_CONTROLS) }),
        "Whether the error estimate controls the step size (default), or every step has the length `step`.",
    ),
    may(
        "spectral_radius",
        What::Number(PLAIN),
        "Of generalised_alpha and two_step: spectral radius at infinite frequency, from 0 (strongest numerical damping) \
         to 1 (none).",
    ),
    may(
        "increment_axes",
        What::Choice(const { &names(&INCREMENT_AXES) }),
        "Of generalised_alpha: axes of the rotation increments of a step, world axes (default) or body axes, which suit \
         rotors.",
    ),
    may(
        "on_stiffness",
        What::Choice(const { &names(&STIFFNESS_RESPONSES) }),
        "What happens if stability, not accuracy, limits the step of an explicit method: a warning (default), a switch to \
         radau5, or nothing.",
    ),
    may("max_step", What::Number(TIME), "Largest step."),
    may("formulation", What::Choice(Method::NAMES), "How accelerations and multipliers are computed."),
    may("penalty", What::Number(ANYTHING), "Penalty factor; default: 1e5 times the largest entry of M."),
    may("rank_tolerance", What::Number(PLAIN), "Relative tolerance of pseudo-inverses."),
    may("drift", What::Choice(Drift::NAMES), "Drift control."),
    may(
        "projection_norm",
        What::Choice(&["mass", "identity"]),
        "Norm in which the projection is shortest; default: mass.",
    ),
    may(
        "projection_weights",
        What::Numbers(ANYTHING),
        "Diagonal of the norm of the projection, one number per velocity, instead of `projection_norm`.",
    ),
    may("alpha", What::Number(PER_TIME), "Baumgarte's alpha; default: 5/s."),
    may("beta", What::Number(PER_TIME), "Baumgarte's beta; default: alpha."),
    may("gain", What::Number(PER_TIME), "Gain of Braun and Goldfarb; default: 1/step."),
    may(
        "projection_threshold",
        What::Number(ANYTHING),
        "Of drift = \"threshold\": residual above which a step is projected; default: 1e-6.",
    ),
    may(
        "initial_conditions",
        What::Choice(const { &names(&INITIAL_CONDITIONS) }),
        "Whether the pose is assembled before the run (default), or used as given.",
    ),
    may(
        "contact_method",
        What::Choice(const { &names(&CONTACT_METHODS) }),
        "Whether contact events are located, or all contacts are solved together in fixed steps; default: automatic, by \
         the number of contacts.",
    ),
    may(
        "on_painleve_paradox",
        What::Choice(const { &names(&PARADOX_RESPONSES) }),
        "What happens if Coulomb's law has no solution: the run stops (default), or the velocities jump.",
    ),
    may("max_steps", What::Whole, "Largest number of steps."),
    may("wall_clock", What::Number(TIME), "Wall-clock limit."),
];

pub(crate) const OUTPUTS: &[Field] = &[
    may("every", What::Number(TIME), "Interval between rows; default: a thousandth of the duration."),
    may("times", What::Numbers(TIME), "Times of the rows."),
    may("rows", What::Choice(&["steps", "ends"]), "A row after every step, or only at the start and the end."),
    may("columns", What::Choices(&FAMILIES), "Families of columns; default: all."),
    may("only", What::Texts, "Names of columns to keep; * matches any text."),
];

pub(crate) const PART: &[Field] = &[
    must("file", What::Text, "The file; its path is relative to the folder of this one."),
    may("params", What::Params, "Parameters to replace."),
    may("position", What::Vector(&[2, 3], LENGTH), "Position of the part."),
    may("orientation", What::Orientation, "Orientation of the part."),
];

pub(crate) const REPEAT: &[Field] = &[
    must("for", What::Text, "Name of the counter."),
    may("from", What::Whole, "First value; default: 0."),
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
    may("repeat", What::Section, "Nested repetitions."),
];

pub(crate) const EXPECT: &[Field] = &[
    must("column", What::Text, "A column of the results."),
    may("time", What::Number(TIME), "Time of the value."),
    may("statistic", What::Choice(const { &names(&STATISTICS) }), "Which value of the column, instead of `time`."),
    must("value", What::Number(ANYTHING), "The value."),
    must("tolerance", What::Number(ANYTHING), "Largest permitted difference."),
    may("source", What::Text, "Where the value comes from."),
];
