//! The top of the file, parts and repetitions, settings and outputs.

use super::choices::{
    CONTACT_METHODS, ERROR_NORMS, ERROR_PER, FAMILIES, INCONSISTENT, INCREMENT_AXES, INITIAL_CONDITIONS, METHODS,
    PARADOX_RESPONSES, REACTION_SHARINGS, ROW_WEIGHTINGS, STATISTICS, STEP_CONTROLS, STIFFNESS_RESPONSES, names,
};
use super::{ANY_QUANTITY, DIMENSIONLESS, Field, FieldType, LENGTH, PER_TIME, TIME, optional, required};
use taut::drift::DriftControl;
use taut::formulations::Method;

pub(crate) const TOP: &[Field] = &[
    required("taut", FieldType::Integer, "Number of the format: 2."),
    optional("title", FieldType::String, "A title."),
    optional("gravity", super::GRAVITY, "Uniform gravity; default: none."),
    optional("include", FieldType::Strings, "Files to include: TOML, URDF or MJCF."),
    optional("params", FieldType::Params, "Named numbers."),
    optional("bodies", FieldType::Section, "The bodies."),
    optional("markers", FieldType::Section, "Frames on bodies and on the ground."),
    optional("joints", FieldType::Section, "The joints."),
    optional("drivers", FieldType::Section, "Prescribed motions."),
    optional("constraints", FieldType::Section, "Gears, relations, rolling, ropes, limits, friction, formulas."),
    optional("forces", FieldType::Section, "The forces."),
    optional("beams", FieldType::Section, "Beams: nodes along a line, connected by elements."),
    optional("air", FieldType::Table(super::AIR), "The air around all wings."),
    optional("polars", FieldType::Section, "Lift, drag and moment of wing sections."),
    optional("wings", FieldType::Section, "Lifting lines on bodies and beams."),
    optional("discs", FieldType::Section, "Rotor discs with induced velocity."),
    optional("variables", FieldType::Section, "Numbers that events change."),
    optional("surfaces", FieldType::Section, "Shapes that can come into contact."),
    optional("contacts", FieldType::Section, "Contact laws of pairs of surfaces."),
    optional("events", FieldType::Section, "Conditions and the actions they trigger."),
    optional("signals", FieldType::Section, "Named functions of time."),
    optional("measures", FieldType::Section, "Coordinates and formulas to include in the results."),
    optional("parts", FieldType::Section, "Other model files as parts of this one."),
    optional("repeat", FieldType::Section, "Repeated elements."),
    optional("start", FieldType::Section, "Initial values of coordinates and their rates."),
    optional(
        "branch",
        FieldType::Section,
        "Signs of coordinates that select one of several ways to assemble the mechanism.",
    ),
    optional("ground", FieldType::Section, "How the ground looks in pictures."),
    optional("settings", FieldType::Section, "How to run the model."),
    optional("outputs", FieldType::Section, "What to write."),
    optional("expect", FieldType::Section, "Values that the results must have."),
    optional("trim", FieldType::Section, "Parameters that `taut trim` finds, and the results they must bring about."),
];

pub(crate) const SETTINGS: &[Field] = &[
    optional("duration", FieldType::Number(TIME), "Simulated time; default: 1 s."),
    optional("end_time", FieldType::Number(TIME), "Time at the end, instead of `duration`."),
    optional("start_time", FieldType::Number(TIME), "Time at the start; default: 0."),
    optional(
        "method",
        FieldType::Choice(&METHODS),
        "Integrator. The last five are implicit, for stiff problems; default: dop853.",
    ),
    optional("rtol", FieldType::Number(DIMENSIONLESS), "Relative tolerance of a step; default: 1e-8."),
    optional("atol", FieldType::Number(DIMENSIONLESS), "Absolute tolerance of a step; default: `rtol`."),
    optional(
        "error_norm",
        FieldType::Choice(const { &names(&ERROR_NORMS) }),
        "How the errors of all coordinates of a step, in units of the tolerance, are combined: root mean square \
         (default), or the largest, as in MATLAB's ode23 and ode45.",
    ),
    optional(
        "error_per",
        FieldType::Choice(const { &names(&ERROR_PER) }),
        "What the tolerance bounds: the error per step, but per unit of time for methods of low order and frequent \
         restarts (automatic, default), or always the error per step, as in MATLAB's ode23 and ode45.",
    ),
    optional(
        "step",
        FieldType::Number(TIME),
        "Step of rk4, of fixed steps and of time stepping; first step of other methods.",
    ),
    optional(
        "step_control",
        FieldType::Choice(const { &names(&STEP_CONTROLS) }),
        "Whether the error estimate controls the step size (default), or every step has the length `step`.",
    ),
    optional(
        "spectral_radius",
        FieldType::Number(DIMENSIONLESS),
        "Of generalised_alpha and two_step: spectral radius at infinite frequency, from 0 (strongest numerical damping) \
         to 1 (none).",
    ),
    optional(
        "increment_axes",
        FieldType::Choice(const { &names(&INCREMENT_AXES) }),
        "Of generalised_alpha and trapezoidal_index3: axes of the rotation increments of a step, world axes (default) or body axes, which suit \
         rotors.",
    ),
    optional(
        "on_stiffness",
        FieldType::Choice(const { &names(&STIFFNESS_RESPONSES) }),
        "What happens if stability, not accuracy, limits the step of an explicit method: a warning (default), a switch to \
         radau5, or nothing.",
    ),
    optional("max_step", FieldType::Number(TIME), "Largest step."),
    optional("formulation", FieldType::Choice(Method::NAMES), "How accelerations and multipliers are computed."),
    optional("penalty", FieldType::Number(ANY_QUANTITY), "Penalty factor; default: 1e5 times the largest entry of M."),
    optional("rank_tolerance", FieldType::Number(DIMENSIONLESS), "Relative tolerance of pseudo-inverses."),
    optional(
        "inconsistent",
        FieldType::Choice(const { &names(&INCONSISTENT) }),
        "What happens if constraints contradict each other in position or velocity: the run stops (default), or it \
         continues with the least-squares solution and a warning.",
    ),
    optional(
        "row_weighting",
        FieldType::Choice(const { &names(&ROW_WEIGHTINGS) }),
        "How contradictory rows share their error and redundant rows their load: rows as written (default), or each \
         divided by the root of its entry in A M^-1 A^T.",
    ),
    optional("drift", FieldType::Choice(DriftControl::NAMES), "Drift control."),
    optional(
        "projection_norm",
        FieldType::Choice(&["mass", "identity"]),
        "Norm in which the projection is shortest; default: mass.",
    ),
    optional(
        "projection_weights",
        FieldType::Numbers(ANY_QUANTITY),
        "Diagonal of the norm of the projection, one number per velocity, instead of `projection_norm`.",
    ),
    optional("alpha", FieldType::Number(PER_TIME), "Baumgarte's alpha; default: 5/s."),
    optional("beta", FieldType::Number(PER_TIME), "Baumgarte's beta; default: alpha."),
    optional("gain", FieldType::Number(PER_TIME), "Gain of Braun and Goldfarb; default: 1/step."),
    optional(
        "projection_threshold",
        FieldType::Number(ANY_QUANTITY),
        "Of drift = \"threshold\": residual above which a step is projected; default: 1e-6.",
    ),
    optional(
        "initial_conditions",
        FieldType::Choice(const { &names(&INITIAL_CONDITIONS) }),
        "Whether the pose is assembled before the run (default), or used as given.",
    ),
    optional(
        "contact_method",
        FieldType::Choice(const { &names(&CONTACT_METHODS) }),
        "Whether contact events are located, or all contacts are solved together in fixed steps; default: automatic, by \
         the number of contacts.",
    ),
    optional(
        "contact_penetration",
        FieldType::Number(DIMENSIONLESS),
        "Of time stepping: penetration that contacts may keep, relative to the smaller surface, up to 0.5; default: 1e-7, \
         for more than 400 contacts 1e-5. More makes steps cheaper.",
    ),
    optional(
        "contact_sweeps",
        FieldType::Integer,
        "Of time stepping: most sweeps over the contacts in a step; default: 600.",
    ),
    optional(
        "on_painleve_paradox",
        FieldType::Choice(const { &names(&PARADOX_RESPONSES) }),
        "What happens if Coulomb's law has no solution: the run stops (default), or the velocities jump.",
    ),
    optional(
        "reactions",
        FieldType::Choice(const { &names(&REACTION_SHARINGS) }),
        "How redundant joints share their load in the results: as the formulation computes it (default), with the least sum of \
         squares, or by `share_stiffness`. The motion is the same.",
    ),
    optional("max_steps", FieldType::Integer, "Largest number of steps."),
    optional("wall_clock", FieldType::Number(TIME), "Wall-clock limit."),
];

pub(crate) const OUTPUTS: &[Field] = &[
    optional("every", FieldType::Number(TIME), "Interval between rows; default: a thousandth of the duration."),
    optional("times", FieldType::Numbers(TIME), "Times of the rows."),
    optional(
        "rows",
        FieldType::Choice(&["steps", "ends"]),
        "A row after every step, or only at the start and the end.",
    ),
    optional(
        "columns",
        FieldType::Choices(&FAMILIES),
        "Families of columns; default: all but corrections and determinacy.",
    ),
    optional("only", FieldType::Strings, "Names of columns to keep; * matches any text."),
];

pub(crate) const PART: &[Field] = &[
    required("file", FieldType::String, "The file; its path is relative to the folder of this one."),
    optional("params", FieldType::Params, "Parameters to replace."),
    optional("position", FieldType::Vector(&[2, 3], LENGTH), "Position of the part."),
    optional("orientation", FieldType::Orientation, "Orientation of the part."),
];

pub(crate) const REPEAT: &[Field] = &[
    required("for", FieldType::String, "Name of the counter."),
    optional("from", FieldType::Integer, "First value; default: 0."),
    required("to", FieldType::Integer, "Last value."),
    optional("bodies", FieldType::Section, "Bodies; {i} in names."),
    optional("markers", FieldType::Section, "Markers."),
    optional("joints", FieldType::Section, "Joints."),
    optional("drivers", FieldType::Section, "Drivers."),
    optional("constraints", FieldType::Section, "Constraints."),
    optional("forces", FieldType::Section, "Forces."),
    optional("variables", FieldType::Section, "Variables."),
    optional("surfaces", FieldType::Section, "Surfaces."),
    optional("contacts", FieldType::Section, "Contacts."),
    optional("events", FieldType::Section, "Events."),
    optional("signals", FieldType::Section, "Signals."),
    optional("measures", FieldType::Section, "Measures."),
    optional("parts", FieldType::Section, "Parts."),
    optional("repeat", FieldType::Section, "Nested repetitions."),
];

/// An initial value of a coordinate or its rate.
pub(crate) const START_TARGET: &[Field] = &[
    required("value", FieldType::Number(super::DISPLACEMENT_OR_RATE), "The value."),
    optional(
        "priority",
        FieldType::Choice(TARGET_PRIORITIES),
        "Whether it is met exactly (hard, default), as nearly as hard targets allow (strong), or as nearly as strong ones leave \
         freedom (weak).",
    ),
    optional("weight", FieldType::Number(DIMENSIONLESS), "Its weight among targets of the same priority; default: 1."),
];

/// How urgent an initial value is.
pub(crate) const TARGET_PRIORITIES: &[&str] = &["hard", "strong", "weak"];

/// A measure by formula.
pub(crate) const FORMULA_MEASURE: &[Field] = &[
    required("formula", FieldType::Formula(&["t"]), "Of t, coordinates, velocities, measures and signals."),
    optional("unit", FieldType::String, "Unit of its column, as in \"deg\"; default: a plain number in SI units."),
    super::DEFINITIONS_OF_T,
];

pub(crate) const EXPECT: &[Field] = &[
    required("column", FieldType::String, "A column of the results."),
    optional("time", FieldType::Number(TIME), "Time of the value."),
    optional(
        "statistic",
        FieldType::Choice(const { &names(&STATISTICS) }),
        "Which value of the column, instead of `time`.",
    ),
    required("value", FieldType::Number(ANY_QUANTITY), "The value."),
    required("tolerance", FieldType::Number(ANY_QUANTITY), "Largest permitted difference."),
    optional("source", FieldType::String, "Where the value comes from."),
];

pub(crate) const GROUND: &[Field] =
    &[required("visual", FieldType::Visuals, "Shapes that are drawn, in the axes of the ground.")];

pub(crate) const TRIM: &[Field] = &[
    optional("period", FieldType::Number(TIME), "Period of the motion; default: none, the static equilibrium counts."),
    optional("free_period", FieldType::Number(TIME), "The period is unknown and near this value, instead of `period`."),
    optional("hold", FieldType::Strings, "Columns that keep their values at the start, with `free_period`."),
    optional(
        "at",
        FieldType::Number(TIME),
        "The search starts from the run at this time; default: the assembled start.",
    ),
    optional(
        "segments",
        FieldType::Integer,
        "Number of segments of the period; unstable motions need several; default: 1.",
    ),
    required("vary", FieldType::Section, "Parameters to be found, as [[trim.vary]]."),
    required("target", FieldType::Section, "Results that must take values, as [[trim.target]]; as many as parameters."),
];

pub(crate) const TRIM_VARY: &[Field] = &[
    required("parameter", FieldType::String, "A parameter of [params], or a field of an element, as in link2.mass."),
    required("low", FieldType::Number(ANY_QUANTITY), "Lowest value."),
    required("first", FieldType::Number(ANY_QUANTITY), "First value."),
    required("high", FieldType::Number(ANY_QUANTITY), "Highest value."),
];

pub(crate) const TRIM_TARGET: &[Field] = &[
    required("column", FieldType::String, "A column of the results."),
    optional(
        "statistic",
        FieldType::String,
        "Of a periodic motion: mean, cos1, sin1, amplitude1, cos2, …; default: the value in equilibrium.",
    ),
    required("value", FieldType::Number(ANY_QUANTITY), "The value."),
];
