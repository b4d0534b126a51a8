//! Fields of wings and polars: numbers or formulas, distributions along a wing, tables.

use super::super::formula::{identifiers, is_quantity};
use super::super::node::{Node, Value};
use super::super::scope::ExpectedQuantity;
use super::super::vocabulary::{Field, FieldType, LENGTH, required};
use super::{Context, ModelNames};
use serde_json::{Value as Json, json};

impl Context<'_> {
    /// A number with its unit, or a formula of these variables and of names of the model.
    pub(super) fn number_or_formula(
        &mut self,
        node: &Node,
        requested: &ExpectedQuantity,
        variables: &[&str],
    ) -> Option<Json> {
        let varies = |name: &String| {
            let stem = name.strip_suffix(".rate").unwrap_or(name);
            variables.contains(&name.as_str()) || name.contains('.') || self.is_named(stem)
        };
        match &node.value {
            Value::String(text) if !is_quantity(text) && identifiers(text).iter().any(varies) => {
                self.formula(node, Some(requested), variables, ModelNames::All).map(|f| json!(f))
            }
            _ => self.number(node, requested).map(|x| json!(x)),
        }
    }

    /// A number, a formula of `x`, or `{ x = [distances], y = [values] }`.
    pub(super) fn distribution(&mut self, node: &Node, requested: &ExpectedQuantity) -> Option<Json> {
        if node.table().is_none() {
            return self.number_or_formula(node, requested, &["x"]);
        }
        let fields: [Field; 2] = [
            required("x", FieldType::Numbers(LENGTH), "Distances from the first point of the wing, increasing."),
            required("y", FieldType::Numbers(*requested), "Values there."),
        ];
        self.table(node, &fields).map(Json::Object)
    }

    /// A list of numbers, or of lists of numbers.
    pub(super) fn numbers_or_lists(&mut self, node: &Node, requested: &ExpectedQuantity) -> Option<Json> {
        let nested = node.list().is_some_and(|list| list.iter().any(|n| n.list().is_some()));
        self.resolve(if nested { FieldType::NumberLists(*requested) } else { FieldType::Numbers(*requested) }, node)
    }
}
