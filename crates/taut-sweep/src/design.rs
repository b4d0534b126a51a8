//! The design of a sweep: which values the parameters of each member have.

use serde::{Deserialize, Serialize};
use taut_io::diagnostic::Diagnostic;
use taut_io::model::Override;

/// Largest number of members.
const MAX_MEMBERS: usize = 1_000_000_000;

/// A varied parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// A parameter or field, named as for `--set`.
    pub name: String,
    /// Unit of its numbers as the user gave it; empty for numbers in SI and for texts.
    pub unit: String,
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number in the unit of its parameter.
    Number(f64),
    /// A text: the name of a method, an expression, a list.
    Text(String),
}

/// The values of one parameter, one per point of its axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl Values {
    pub fn len(&self) -> usize {
        match self {
            Values::Numbers(x) => x.len(),
            Values::Texts(x) => x.len(),
        }
    }

    fn get(&self, i: usize) -> Value {
        match self {
            Values::Numbers(x) => Value::Number(x[i]),
            Values::Texts(x) => Value::Text(x[i].clone()),
        }
    }
}

/// Parameters that vary together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub parameters: Vec<Parameter>,
    /// As many lists as parameters, all of the same length.
    pub values: Vec<Values>,
}

impl Axis {
    fn len(&self) -> usize {
        self.values.first().map_or(0, Values::len)
    }
}

/// All members: every combination of the points of the axes. The last axis varies fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    axes: Vec<Axis>,
    parameters: Vec<Parameter>,
    members: usize,
}

impl Design {
    /// Combines axes.
    ///
    /// # Errors
    /// No axis, a parameter twice, or too many members.
    pub(crate) fn new(axes: Vec<Axis>) -> Result<Design, Diagnostic> {
        let parameters: Vec<Parameter> = axes.iter().flat_map(|a| a.parameters.clone()).collect();
        if parameters.is_empty() {
            let help = "give --vary NAME=VALUES or --cases FILE";
            return Err(Diagnostic::error("no parameter is varied").help(help));
        }
        for (i, parameter) in parameters.iter().enumerate() {
            if parameters[..i].iter().any(|p| p.name == parameter.name) {
                return Err(Diagnostic::error(format!("`{}` is varied twice", parameter.name)));
            }
        }
        let members = axes.iter().try_fold(1_usize, |n, a| n.checked_mul(a.len())).filter(|n| *n <= MAX_MEMBERS);
        let Some(members) = members else {
            let help = "vary fewer parameters, give fewer values, or use --sample";
            return Err(Diagnostic::error(format!("the sweep has more than {MAX_MEMBERS} members")).help(help));
        };
        Ok(Design { axes, parameters, members })
    }

    /// The varied parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members == 0
    }

    /// The point of each axis for a member.
    fn points(&self, member: usize) -> Vec<usize> {
        let mut rest = member;
        let mut points: Vec<usize> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            points.push(rest % axis.len().max(1));
            rest /= axis.len().max(1);
        }
        points.reverse();
        points
    }

    /// The values of a member, in the order of the parameters.
    pub fn values(&self, member: usize) -> Vec<Value> {
        let of_axis = |(axis, point): (&Axis, usize)| axis.values.iter().map(|v| v.get(point)).collect::<Vec<_>>();
        self.axes.iter().zip(self.points(member)).flat_map(of_axis).collect()
    }

    /// The values of a member as overrides of the model.
    pub fn overrides(&self, member: usize) -> Vec<Override> {
        self.parameters.iter().zip(self.values(member)).map(|(p, v)| v.as_override(p)).collect()
    }

    /// For every parameter: the members that have the first and the last value of its axis, and the first ones elsewhere.
    pub(crate) fn ends(&self) -> Vec<(usize, [usize; 2])> {
        let mut found = Vec::new();
        let (mut first, mut stride) = (self.parameters.len(), self.members.max(1));
        let mut strides = Vec::new();
        for axis in &self.axes {
            stride /= axis.len().max(1);
            strides.push(stride);
        }
        for (axis, stride) in self.axes.iter().zip(strides).rev() {
            first -= axis.parameters.len();
            let last = axis.len().saturating_sub(1) * stride;
            found.extend((first..first + axis.parameters.len()).map(|p| (p, [0, last])));
        }
        found.sort_unstable();
        found
    }
}

impl Value {
    /// As an override of a parameter.
    pub(crate) fn as_override(&self, parameter: &Parameter) -> Override {
        let value = match self {
            Value::Text(text) => text.clone(),
            Value::Number(x) if parameter.unit.is_empty() => x.to_string(),
            Value::Number(x) => format!("{x} {}", parameter.unit),
        };
        Override { path: parameter.name.clone(), value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(names: &[&str], values: &[&[f64]]) -> Axis {
        let parameter = |name: &&str| Parameter { name: name.to_string(), unit: "mm".to_string() };
        Axis {
            parameters: names.iter().map(parameter).collect(),
            values: values.iter().map(|v| Values::Numbers(v.to_vec())).collect(),
        }
    }

    #[test]
    fn the_last_axis_varies_fastest() {
        let design =
            Design::new(vec![axis(&["a"], &[&[1.0, 2.0]]), axis(&["b", "c"], &[&[3.0, 4.0, 5.0], &[6.0, 7.0, 8.0]])]);
        let design = design.unwrap();
        assert_eq!(design.len(), 6);
        let numbers = |i: usize| -> Vec<String> { design.overrides(i).into_iter().map(|o| o.value).collect() };
        assert_eq!(numbers(0), ["1 mm", "3 mm", "6 mm"]);
        assert_eq!(numbers(2), ["1 mm", "5 mm", "8 mm"]);
        assert_eq!(numbers(3), ["2 mm", "3 mm", "6 mm"]);
        assert_eq!(design.ends(), [(0, [0, 3]), (1, [0, 2]), (2, [0, 2])]);
    }

    #[test]
    fn bad_designs_are_errors() {
        assert!(Design::new(Vec::new()).unwrap_err().message.contains("no parameter"));
        let twice = Design::new(vec![axis(&["a"], &[&[1.0]]), axis(&["a"], &[&[1.0]])]);
        assert!(twice.unwrap_err().message.contains("varied twice"));
        let many = vec![0.0; 2000];
        let too_many = Design::new(["a", "b", "c"].map(|n| axis(&[n], &[&many])).to_vec());
        assert!(too_many.unwrap_err().message.contains("more than"));
    }
}
