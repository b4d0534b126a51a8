//! The file as a tree in which every key and every value has its place in the text.

use crate::diagnostic::{Diagnostic, Place, Source};
use std::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// A value of the file.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub value: Value,
    pub place: Place,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Number(f64),
    String(String),
    Boolean(bool),
    List(Vec<Node>),
    Table(Table),
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table(pub Vec<Entry>);

/// One `key = value`.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub place: Place,
    pub node: Node,
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|e| e.key == key).map(|e| &e.node)
    }

    pub fn take(&mut self, key: &str) -> Option<Entry> {
        let i = self.0.iter().position(|e| e.key == key)?;
        Some(self.0.remove(i))
    }

    pub fn set(&mut self, key: &str, node: Node) {
        match self.0.iter_mut().find(|e| e.key == key) {
            Some(entry) => entry.node = node,
            None => self.0.push(Entry { key: key.to_string(), place: node.place.clone(), node }),
        }
    }
}

impl Node {
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::String(t) => Some(t),
            _ => None,
        }
    }

    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(t) => Some(t),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(l) => Some(l),
            _ => None,
        }
    }

    /// `a number`, `a string` …: its type in messages.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Boolean(_) => "true or false",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The place of byte `offset` of a string; with escapes, that of the whole string.
    pub fn place_within(&self, offset: usize) -> Place {
        let written = self.place.source.text.get(self.place.span.clone()).unwrap_or("");
        let plain = self.text().is_some_and(|t| written.len() == t.len() + 2 && &written[1..=t.len()] == t);
        match plain {
            true => {
                let start = (self.place.span.start + 1 + offset).min(self.place.span.end.saturating_sub(1));
                Place {
                    source: self.place.source.clone(),
                    span: start..self.place.span.end.saturating_sub(1).max(start),
                }
            }
            false => self.place.clone(),
        }
    }
}

/// The tree of a TOML text.
pub(crate) fn parse(source: &Arc<Source>) -> Result<Table, Vec<Diagnostic>> {
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    if !errors.is_empty() {
        // One mistake can cause many errors: only the first few are reported, one per place.
        const MOST: usize = 3;
        let start = |e: &toml::de::Error| e.span().map_or(0, |s| s.start);
        let mut errors: Vec<&toml::de::Error> = errors.iter().collect();
        errors.sort_by_key(|e| start(e));
        errors.dedup_by_key(|e| start(e));
        let all = errors.into_iter().take(MOST).map(|e| {
            let span = e.span().unwrap_or(0..0);
            let place = Place { source: source.clone(), span };
            let message = e.message().lines().collect::<Vec<_>>().join("; ");
            Diagnostic::error(format!("this is not TOML: {message}")).at(&place)
        });
        return Err(all.collect());
    }
    let mut findings = Vec::new();
    let table = convert_table(table.into_inner(), source, &mut findings);
    if findings.is_empty() { Ok(table) } else { Err(findings) }
}

fn convert_table(table: DeTable, source: &Arc<Source>, findings: &mut Vec<Diagnostic>) -> Table {
    let place = |span: Range<usize>| Place { source: source.clone(), span };
    let entries = table.into_iter().map(|(key, value)| {
        let (at, span) = (place(key.span()), value.span());
        let node = convert(value.into_inner(), place(span), source, findings);
        Entry { key: key.into_inner().into_owned(), place: at, node }
    });
    Table(entries.collect())
}

fn convert(value: DeValue, place: Place, source: &Arc<Source>, findings: &mut Vec<Diagnostic>) -> Node {
    let value = match value {
        DeValue::String(s) => Value::String(s.into_owned()),
        DeValue::Boolean(b) => Value::Boolean(b),
        DeValue::Integer(i) => {
            let text = i.as_str().replace('_', "");
            let number = if i.radix() == 10 {
                text.parse().ok()
            } else {
                i64::from_str_radix(&text, i.radix()).ok().map(|i| i as f64)
            };
            Value::Number(number.unwrap_or(f64::NAN))
        }
        DeValue::Float(x) => Value::Number(x.as_str().replace('_', "").parse().unwrap_or(f64::NAN)),
        DeValue::Datetime(_) => {
            findings.push(Diagnostic::error("dates are not allowed in a model file").at(&place));
            Value::Boolean(false)
        }
        DeValue::Array(list) => {
            let convert_one = |v: toml::Spanned<DeValue>| {
                let span = v.span();
                convert(v.into_inner(), Place { source: source.clone(), span }, source, findings)
            };
            Value::List(list.into_iter().map(convert_one).collect())
        }
        DeValue::Table(table) => Value::Table(convert_table(table, source, findings)),
    };
    if let Value::Number(x) = value
        && !x.is_finite()
    {
        let found = place.source.text.get(place.span.clone()).unwrap_or("").to_string();
        findings.push(Diagnostic::error(format!("`{found}` is not allowed; numbers must be finite")).at(&place));
    }
    Node { value, place }
}
