//! The row of one member.

use crate::design::Value;
use serde::{Deserialize, Deserializer, Serialize};

/// How a member ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// As requested.
    Finished,
    /// The analysis stopped before its end; its values are missing.
    Stopped,
    /// The model is invalid for these values, or the analysis does not apply.
    Failed,
}

impl Status {
    /// The word in tables.
    pub fn label(self) -> &'static str {
        match self {
            Status::Finished => "finished",
            Status::Stopped => "stopped",
            Status::Failed => "failed",
        }
    }
}

/// The results of one member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberResult {
    /// Its number in the design, from 0.
    pub member: usize,
    /// Values of the parameters.
    pub parameters: Vec<Value>,
    /// Values of the measures; NaN if missing.
    #[serde(deserialize_with = "numbers_or_null")]
    pub values: Vec<f64>,
    /// How it ended.
    pub status: Status,
    /// Verdict of the audit; none if there is no audit.
    pub verdict: Option<String>,
    /// Steps or iterations.
    pub steps: u64,
    /// Why it failed, or what decided the verdict; empty if there is nothing to say.
    pub message: String,
    /// Wall-clock time, s: the only number that differs between two identical sweeps.
    pub seconds: f64,
}

/// JSON has no NaN: missing numbers are null.
fn numbers_or_null<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<f64>, D::Error> {
    let found = Vec::<Option<f64>>::deserialize(d)?;
    Ok(found.into_iter().map(|x| x.unwrap_or(f64::NAN)).collect())
}
