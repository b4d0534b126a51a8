//! XML with places: a tree of elements in which every attribute has its file, line and column.
//!
//! The tree is our own, not the parser's, so that files included into each other and attributes that come from
//! defaults can be in one tree and keep their places.

use crate::diagnostic::{Diagnostic, Place, Source};
use std::path::Path;
use std::sync::Arc;

/// Largest depth of nesting; robots have about thirty levels.
const MAX_DEPTH: usize = 512;
/// Largest size of a text, bytes.
const MAX_ATTRIBUTE_LENGTH: usize = 256 << 20;

/// Largest number of attributes of an element, and of name spaces of a file.
const MAX_ATTRIBUTES: usize = 1000;

/// An attribute as written in a file.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub name: String,
    pub value: String,
    pub place: Place,
}

/// An element with its attributes and the elements inside it.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    pub place: Place,
}

/// Reads a text into its root element.
pub(crate) fn parse(text: &str, path: &Path) -> Result<Element, Diagnostic> {
    if text.len() > MAX_ATTRIBUTE_LENGTH {
        return Err(Diagnostic::error(format!("{} is longer than {MAX_ATTRIBUTE_LENGTH} bytes", path.display())));
    }
    // A byte order mark is permitted.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = Arc::new(Source { path: path.to_path_buf(), text: text.to_string() });
    if let Some((start, what)) = overlong(text) {
        let place = Place { source: source.clone(), span: start..start };
        return Err(Diagnostic::error(what).at(&place));
    }
    let document = roxmltree::Document::parse(&source.text).map_err(|e| {
        let start = offset(&source.text, e.pos().row as usize, e.pos().col as usize);
        let place = Place { source: source.clone(), span: start..start };
        let said = e.to_string();
        // The place already shows the position, so the parser's is removed.
        let what = said.rfind(" at ").map_or(said.as_str(), |i| &said[..i]);
        let error = Diagnostic::error(format!("not well-formed XML: {what}")).at(&place);
        match said.contains("xacro") {
            true => error.help("this is a xacro file: expand it first with the `xacro` command"),
            false => error,
        }
    })?;
    Element::of(document.root_element(), &source, 0)
}

/// The first tag with more attributes, or the first name space beyond those, that the parser takes in reasonable time:
/// it compares each with all others.
fn overlong(text: &str) -> Option<(usize, String)> {
    let (mut at, mut spaces) = (0, 0);
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        let skipped =
            [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].into_iter().find(|(open, _)| rest.starts_with(open));
        if let Some((_, close)) = skipped {
            // Unclosed: the parser reports it.
            at = start + rest.find(close)? + close.len();
            continue;
        }
        let (mut quote, mut count, mut end) = (None, 0, rest.len());
        for (i, b) in rest.bytes().enumerate().skip(1) {
            match (quote, b) {
                (Some(q), _) if b == q => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(b),
                (None, b'=') => count += 1,
                (None, b'>') => {
                    end = i + 1;
                    break;
                }
                (None, _) => {}
            }
        }
        spaces += rest[..end].matches("xmlns").count();
        if count > MAX_ATTRIBUTES {
            return Some((
                start,
                format!("an element has {count} attributes; more than {MAX_ATTRIBUTES} are not read"),
            ));
        }
        if spaces > MAX_ATTRIBUTES {
            return Some((start, format!("more than {MAX_ATTRIBUTES} name spaces are not read")));
        }
        at = start + end;
    }
    None
}

/// Byte of a line and column, both from 1.
fn offset(text: &str, row: usize, column: usize) -> usize {
    let line = match row {
        0 | 1 => 0,
        _ => text.match_indices('\n').nth(row - 2).map_or(text.len(), |(i, _)| i + 1),
    };
    let rest = &text[line..];
    line + rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(i, _)| i)
}

impl Element {
    fn of(node: roxmltree::Node, source: &Arc<Source>, depth: usize) -> Result<Element, Diagnostic> {
        let at = |span| Place { source: source.clone(), span };
        let place = at(node.range());
        if depth > MAX_DEPTH {
            let what = format!("elements are nested more than {MAX_DEPTH} levels deep");
            return Err(Diagnostic::error(what).at(&place));
        }
        let attribute = |a: roxmltree::Attribute| Attribute {
            name: a.name().to_string(),
            value: a.value().to_string(),
            place: at(a.range()),
        };
        let mut children = Vec::new();
        for child in node.children().filter(roxmltree::Node::is_element) {
            children.push(Element::of(child, source, depth + 1)?);
        }
        Ok(Element {
            name: node.tag_name().name().to_string(),
            attributes: node.attributes().map(attribute).collect(),
            children,
            place,
        })
    }

    /// An attribute.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// The text of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attribute(name).map(|a| a.value.as_str())
    }

    /// Whether an attribute is given.
    pub fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// The first child of a name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.name == name)
    }

    /// All children of a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |c| c.name == name)
    }

    /// `<joint name="hip">`, for messages.
    pub fn label(&self) -> String {
        match self.get("name") {
            Some(name) => format!("{} `{name}`", self.name),
            None => format!("a {} without a name", self.name),
        }
    }

    /// An error about this element.
    pub fn error(&self, what: impl Into<String>) -> Diagnostic {
        Diagnostic::error(what).at(&self.place)
    }

    /// A required attribute.
    pub fn require(&self, name: &str) -> Result<&str, Diagnostic> {
        self.get(name).ok_or_else(|| self.error(format!("{} needs the attribute `{name}`", self.label())))
    }

    /// All numbers of an attribute.
    pub fn list(&self, name: &str) -> Result<Option<Vec<f64>>, Diagnostic> {
        let Some(attribute) = self.attribute(name) else { return Ok(None) };
        let number = |word: &str| match word.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            Ok(_) => Err(attribute.error(format!("{}: {name} contains {word}; it must be finite", self.label()))),
            Err(_) => Err(attribute.error(format!("{}: {name} contains `{word}`, which is no number", self.label()))),
        };
        attribute.value.split_whitespace().map(number).collect::<Result<Vec<f64>, _>>().map(Some)
    }

    /// Exactly N numbers.
    pub fn numbers<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, Diagnostic> {
        let Some(list) = self.list(name)? else { return Ok(None) };
        let found = list.len();
        <[f64; N]>::try_from(list).map(Some).map_err(|_| {
            let what = format!("{}: {name} has {found} numbers, it needs {N}", self.label());
            self.attribute(name).map_or_else(|| self.error(what.clone()), |a| a.error(what.clone()))
        })
    }

    /// One number.
    pub fn number(&self, name: &str) -> Result<Option<f64>, Diagnostic> {
        Ok(self.numbers::<1>(name)?.map(|[x]| x))
    }

    /// One number; default: zero.
    pub fn number_or_zero(&self, name: &str) -> Result<f64, Diagnostic> {
        Ok(self.number(name)?.unwrap_or(0.0))
    }
}

impl Attribute {
    /// An error about this attribute.
    pub fn error(&self, what: impl Into<String>) -> Diagnostic {
        Diagnostic::error(what).at(&self.place)
    }
}
