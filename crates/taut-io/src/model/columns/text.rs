//! CSV: a header, then one record per line. Empty lines and lines that begin with `#` are passed over.

use super::{ColumnHeader, RequestedColumn, Unit, find, in_si, unit_of, value_error};
use crate::diagnostic::{Diagnostic, Place, Source};
use crate::regular_file;
use crate::results::split_record;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub(super) fn read(path: &Path, file: &Place, wanted: &[RequestedColumn; 2]) -> Result<[Vec<f64>; 2], Diagnostic> {
    let text = regular_file::read_text(path).map_err(|e| {
        let message = format!("cannot read {}: {e}", path.display());
        Diagnostic::error(message).at(file).help("the path is relative to the folder of the model file")
    })?;
    let source = Arc::new(Source { path: path.to_path_buf(), text });
    let place = |span: Range<usize>| Place { source: source.clone(), span };
    let mut lines = lines(&source.text);
    let Some((header, line)) = lines.next() else {
        return Err(Diagnostic::error(format!("{} is empty", path.display())).at(file));
    };
    let heads: Vec<ColumnHeader> = split_record(line)
        .ok_or_else(|| Diagnostic::error("unclosed quote in the header").at(&place(header.clone())))?
        .iter()
        .map(|name| ColumnHeader::new(name))
        .collect();
    let find_one = |wanted: &RequestedColumn| -> Result<(usize, Unit), Diagnostic> {
        let column = find(&heads, wanted, path)?;
        Ok((column, unit_of(&heads[column], wanted, &place(header.clone()))?))
    };
    let columns = [find_one(&wanted[0])?, find_one(&wanted[1])?];
    let mut found = [Vec::new(), Vec::new()];
    for (span, line) in lines {
        let fields = fields(&span, line);
        for (k, (column, unit)) in columns.iter().enumerate() {
            let name = &heads[*column].name;
            let Some((at, text)) = fields.get(*column) else {
                let message = format!("this line has {} fields, no `{name}`", fields.len());
                return Err(Diagnostic::error(message)
                    .at(&place(span))
                    .help("every line must have the fields of the header"));
            };
            let Ok(x) = text.parse::<f64>() else {
                let message = format!("column `{name}`: `{text}` is not a number");
                let help =
                    "use a decimal point, separate fields by commas, and give units in the header, as in time [s]";
                return Err(Diagnostic::error(message).at(&place(at.clone())).help(help));
            };
            let x = in_si(x, unit);
            let previous = if k == 0 { found[0].last().copied() } else { None };
            if let Some((what, help)) = value_error(x, previous) {
                return Err(Diagnostic::error(format!("column `{name}`: {what}")).at(&place(at.clone())).help(help));
            }
            found[k].push(x);
        }
    }
    Ok(found)
}

/// Lines that are not empty, each with its place.
fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut start = 0;
    let each = text.split_inclusive('\n').map(move |whole| {
        let line = whole.trim_end_matches(['\n', '\r']);
        let span = start..start + line.len();
        start += whole.len();
        (span, line)
    });
    each.filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// The fields of a line, without surrounding blanks and quotes, each with its place.
fn fields<'t>(span: &Range<usize>, line: &'t str) -> Vec<(Range<usize>, &'t str)> {
    let mut start = span.start;
    let each = line.split(',').map(|whole| {
        let from = start + (whole.len() - whole.trim_start().len());
        start += whole.len() + 1;
        let field = whole.trim();
        (from..from + field.len(), field.trim_matches('"').trim())
    });
    each.collect()
}
