//! `<default>`: default attributes of the elements of a class.

use crate::diagnostic::Diagnostic;
use crate::robot::xml::{Attribute, Element};
use std::collections::HashMap;

/// The class of elements without a class.
const MAIN: &str = "main";
/// Largest number of attributes that all classes together may inherit: nested classes copy those of their parents.
const MAX_INHERITED_ATTRIBUTES: usize = 1_000_000;

/// Attributes by kind of element.
type Class = HashMap<String, Vec<Attribute>>;

/// All classes, each with its inherited attributes.
#[derive(Debug, Default)]
pub(super) struct Defaults {
    classes: HashMap<String, Class>,
    size: usize,
}

impl Defaults {
    /// Reads all `default` elements of a file.
    pub fn read(root: &Element) -> Result<Defaults, Diagnostic> {
        let mut defaults = Defaults::default();
        defaults.classes.insert(MAIN.to_string(), Class::new());
        for element in root.all("default") {
            defaults.class(element, MAIN, element.get("class").unwrap_or(MAIN))?;
        }
        Ok(defaults)
    }

    fn class(&mut self, element: &Element, parent: &str, name: &str) -> Result<(), Diagnostic> {
        let inherited = if name == MAIN { MAIN } else { parent };
        let mut class = self.classes.get(inherited).cloned().unwrap_or_default();
        self.size += class.values().map(Vec::len).sum::<usize>() + 1;
        if self.size > MAX_INHERITED_ATTRIBUTES {
            return Err(element.error("the default classes inherit more than a million attributes"));
        }
        for child in element.children.iter().filter(|c| c.name != "default") {
            let own = class.entry(kind(&child.name).to_string()).or_default();
            for a in &child.attributes {
                own.retain(|old| old.name != a.name && !(is_orientation(&a.name) && is_orientation(&old.name)));
                own.push(a.clone());
            }
        }
        self.classes.insert(name.to_string(), class);
        for child in element.all("default") {
            let inner = child.require("class")?;
            if inner == name || inner == MAIN || self.classes.contains_key(inner) {
                return Err(child.error(format!("there are two default classes named `{inner}`")));
            }
            self.class(child, name, inner)?;
        }
        Ok(())
    }

    /// An element with the attributes of its class; `childclass` is its class if it names none.
    pub fn apply(&self, element: &Element, childclass: Option<&str>) -> Result<Element, Diagnostic> {
        let name = element.get("class").or(childclass).unwrap_or(MAIN);
        let Some(class) = self.classes.get(name) else {
            return Err(
                element.error(format!("{} is of the class `{name}`, but there is no such class", element.label()))
            );
        };
        let mut full = Element {
            name: element.name.clone(),
            attributes: element.attributes.clone(),
            children: Vec::new(),
            place: element.place.clone(),
        };
        let turned = element.attributes.iter().any(|a| is_orientation(&a.name));
        for a in class.get(kind(&element.name)).into_iter().flatten() {
            let replaced = element.has(&a.name) || (turned && is_orientation(&a.name));
            if !replaced {
                full.attributes.push(a.clone());
            }
        }
        Ok(full)
    }
}

/// Kinds of elements that share their defaults.
fn kind(name: &str) -> &str {
    match name {
        "general" | "motor" | "position" | "velocity" | "intvelocity" | "damper" | "cylinder" | "muscle"
        | "adhesion" => "actuator",
        "spatial" | "fixed" => "tendon",
        "connect" | "weld" => "equality",
        other => other,
    }
}

/// Attributes that give an orientation; one replaces any other.
fn is_orientation(name: &str) -> bool {
    matches!(name, "quat" | "euler" | "axisangle" | "xyaxes" | "zaxis")
}
