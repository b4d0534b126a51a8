//! Fields of comma-separated values.

/// The fields of a line with their byte offsets; none if a quoted field does not end.
pub(crate) fn fields(line: &str) -> Option<Vec<(usize, String)>> {
    let (mut found, mut field, mut start, mut quoted) = (Vec::new(), String::new(), 0, false);
    let mut letters = line.char_indices().peekable();
    while let Some((i, c)) = letters.next() {
        match c {
            '"' if quoted && letters.peek().is_some_and(|(_, next)| *next == '"') => {
                field.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => {
                found.push((start, std::mem::take(&mut field)));
                start = i + 1;
            }
            c => field.push(c),
        }
    }
    found.push((start, field));
    (!quoted).then_some(found)
}

/// A field as it is written: in quotes if it has to be.
pub(crate) fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{field, fields};

    #[test]
    fn quotes() {
        let line = [r#"a"b"#, "c,d", "", "e"].map(field).join(",");
        let read: Vec<String> = fields(&line).unwrap().into_iter().map(|(_, f)| f).collect();
        assert_eq!(read, [r#"a"b"#, "c,d", "", "e"]);
        assert_eq!(fields("a,\"b"), None);
        assert_eq!(fields("ab,cd").unwrap()[1].0, 3);
    }
}
