//! Errors in the text of an expression.

use thiserror::Error;

/// A syntax error: what was found, where, and what was expected.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ParseError {
    /// Parentheses, signs and powers are nested too deeply.
    #[error(
        "at byte {position}: the expression nests deeper than {limit} levels; \
         flatten the parentheses or split the expression"
    )]
    TooDeep {
        /// Byte offset at which the limit was passed.
        position: usize,
        /// The deepest nesting accepted.
        limit: usize,
    },

    /// A token that the grammar does not allow here.
    #[error("at byte {position}: found {found}, expected {expected}")]
    Unexpected {
        /// Byte offset of the token.
        position: usize,
        /// What was found.
        found: String,
        /// What the grammar allows there.
        expected: String,
    },

    /// A name is neither a variable nor a constant nor a function.
    #[error(
        "at byte {position}: found the unknown name '{name}', expected {expected}{}",
        hint(.suggestion)
    )]
    UnknownName {
        /// Byte offset of the name.
        position: usize,
        /// The name as written.
        name: String,
        /// The names that would be accepted there.
        expected: String,
        /// The closest accepted name, if one is close.
        suggestion: Option<String>,
    },

    /// A function has too few or too many arguments.
    #[error("at byte {position}: found {found} argument(s) for {function}, expected {signature}")]
    WrongArguments {
        /// Byte offset of the function's name.
        position: usize,
        /// The function.
        function: &'static str,
        /// How the function is written.
        signature: &'static str,
        /// How many arguments were given.
        found: usize,
    },

    /// A constant subexpression is not finite.
    #[error(
        "at byte {position}: found a constant subexpression with the value {value}, \
         expected a finite one; check for a division by zero or an argument out of domain"
    )]
    NotFinite {
        /// Byte offset of the operator, function or number that yields the value.
        position: usize,
        /// The value.
        value: f64,
    },
}

impl ParseError {
    /// Byte offset of the error in the text.
    pub fn position(&self) -> usize {
        match *self {
            ParseError::TooDeep { position, .. }
            | ParseError::Unexpected { position, .. }
            | ParseError::UnknownName { position, .. }
            | ParseError::WrongArguments { position, .. }
            | ParseError::NotFinite { position, .. } => position,
        }
    }
}

fn hint(suggestion: &Option<String>) -> String {
    match suggestion {
        Some(name) => format!("; did you mean {name}?"),
        None => String::new(),
    }
}
