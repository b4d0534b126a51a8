//! The formulas of a controller with their names resolved: all use one table of values.
//!
//! ```text
//!  t  s  rate  │ input  input.rate … │ names of the model: crank.omega … │ states … │ output  wanted
//! ```

use super::Controller;
use crate::constraints::{BoundNames, ElementInput, Scope, parse_names};
use crate::error::{BuildError, ParameterError, element_error};
use crate::expressions::{Expression, ParseError};

/// Formulas over one table of values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoundController {
    pub output: Expression,
    /// Rate or next value of every state.
    pub states: Vec<Expression>,
    pub names: BoundNames,
    input_count: usize,
}

const BUILT_IN_NAMES: [&str; 3] = ["t", "s", "rate"];
const RESULT_NAMES: [&str; 2] = ["output", "wanted"];

impl BoundController {
    /// Resolves all names of a controller in a model.
    pub fn new(controller: &Controller, name: &str, scope: &Scope) -> Result<BoundController, BuildError> {
        let refuse = |field, what: String| element_error("force", name, ParameterError::Value { field, what });
        let inputs = controller.inputs.iter().map(|i| ("inputs", &i.name));
        let states = controller.states.iter().map(|s| ("states", &s.name));
        let mut taken: Vec<&str> = BUILT_IN_NAMES.into_iter().chain(RESULT_NAMES).collect();
        for (field, own) in inputs.chain(states) {
            if own.contains('.') || Expression::parse(own, &[own]).is_err() {
                return Err(refuse(field, format!("`{own}` is not a valid name; use letters, digits and _")));
            }
            if taken.contains(&own.as_str()) {
                return Err(refuse(
                    field,
                    format!("the name `{own}` is taken; give each input and state its own name"),
                ));
            }
            taken.push(own);
        }

        // Inputs first, then states. Only the formulas of the states may use `output` and `wanted`.
        let mut names: Vec<String> = BUILT_IN_NAMES.map(String::from).to_vec();
        names.extend(controller.inputs.iter().flat_map(|i| [i.name.clone(), format!("{}.rate", i.name)]));
        let states: Vec<String> = controller.states.iter().map(|s| s.name.clone()).collect();
        let before: Vec<&str> = names.iter().chain(&states).map(String::as_str).collect();
        let after: Vec<&str> = before.iter().copied().chain(RESULT_NAMES).collect();
        let of_states = controller.states.iter().map(|s| {
            let text = s.rate.as_ref().or(s.next.as_ref()).map_or("0", String::as_str);
            ("states", text, &after)
        });
        let texts: Vec<(&'static str, &str, &Vec<&str>)> =
            std::iter::once(("output", controller.output.as_str(), &before)).chain(of_states).collect();
        let mut read: Vec<String> = Vec::new();
        for (field, text, known) in &texts {
            let parsed = parse_names(text, known, scope).map_err(|e| refuse(field, quote_error(text, &e)))?;
            let new = parsed.variables()[known.len()..].iter();
            read.extend(new.filter(|n| !read.contains(n)).cloned().collect::<Vec<_>>());
        }
        let of_model = BoundNames::new(read.iter().map(String::as_str), ("force", name), scope)?;
        let seen = names.len() + read.len();
        let all: Vec<&str> =
            (names.iter().chain(&read).chain(&states).map(String::as_str)).chain(RESULT_NAMES).collect();
        let mut formulas = Vec::with_capacity(texts.len());
        for (field, text, _) in &texts {
            formulas.push(Expression::parse(text, &all).map_err(|e| refuse(field, quote_error(text, &e)))?);
        }
        let states = formulas.split_off(1);
        let output = formulas.remove(0);
        Ok(BoundController { output, states, names: of_model, input_count: seen })
    }

    /// All formulas.
    pub fn formulas(&self) -> impl Iterator<Item = &Expression> {
        std::iter::once(&self.output).chain(&self.states)
    }

    /// Number of values that are inputs.
    pub fn input_count(&self) -> usize {
        self.input_count
    }

    /// Writes the values of names of the model; `at` begins with their markers and turn counters.
    pub fn read_model(&self, at: &ElementInput, out: &mut [f64]) {
        let count = self.names.sources().len();
        out.iter_mut().take(count).enumerate().for_each(|(k, out)| *out = self.names.value(k, at));
    }
}

/// The error message with the text of the formula.
fn quote_error(text: &str, error: &ParseError) -> String {
    format!("\"{text}\": {error}")
}
