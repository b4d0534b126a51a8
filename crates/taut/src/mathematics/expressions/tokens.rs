//! Lexer: from text to tokens.

use super::ParseError;

/// A token of the expression language.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    Number(f64),
    Name(&'a str),
    /// One of `+ - * / ^ ( ) ,`.
    Symbol(char),
    End,
}

impl Token<'_> {
    /// Description of the token in error messages.
    pub(super) fn describe(self) -> String {
        match self {
            Token::Number(number) => format!("the number {number}"),
            Token::Name(name) => format!("'{name}'"),
            Token::Symbol(symbol) => format!("'{symbol}'"),
            Token::End => "the end".to_string(),
        }
    }
}

/// The tokens of a text, one at a time.
pub(super) struct Tokens<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Tokens { text, position: 0 }
    }

    /// The next token with its byte offset.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, usize), ParseError> {
        let bytes = self.text.as_bytes();
        self.position += count_while(&bytes[self.position..], |b| b.is_ascii_whitespace());
        let start = self.position;
        // Tokens are cut at ASCII bytes only, so the offset is always a character boundary.
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return Ok((Token::End, start));
        };
        let (token, length) = match first {
            '0'..='9' | '.' => number(rest, start)?,
            'a'..='z' | 'A'..='Z' | '_' => {
                let length = name_length(rest.as_bytes());
                (Token::Name(&rest[..length]), length)
            }
            '*' if rest.starts_with("**") => {
                return Err(ParseError::Unexpected {
                    position: start,
                    found: "'**'".to_string(),
                    expected: "'^' for a power".to_string(),
                });
            }
            '+' | '-' | '*' | '/' | '^' | '(' | ')' | ',' => (Token::Symbol(first), 1),
            other => {
                return Err(ParseError::Unexpected {
                    position: start,
                    found: format!("{other:?}"),
                    expected: "a number, a name or one of + - * / ^ ( ) ,".to_string(),
                });
            }
        };
        self.position += length;
        Ok((token, start))
    }
}

fn count_while(bytes: &[u8], accept: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&b| accept(b)).count()
}

/// Length of the name at the start: words joined by dots (`crank.tip.x`), with an optional `'` for a rate. A dot that is not followed
/// by a letter is not part of the name.
fn name_length(bytes: &[u8]) -> usize {
    let word = |from: usize| count_while(&bytes[from..], |b| b.is_ascii_alphanumeric() || b == b'_');
    let mut length = word(0);
    while bytes.get(length) == Some(&b'.')
        && bytes.get(length + 1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
    {
        length += 1 + word(length + 1);
    }
    length + usize::from(bytes.get(length) == Some(&b'\''))
}

/// A decimal number at the start of `rest` with its length.
fn number<'a>(rest: &str, position: usize) -> Result<(Token<'a>, usize), ParseError> {
    let bytes = rest.as_bytes();
    let digits = |from: usize| count_while(&bytes[from..], |b| b.is_ascii_digit());
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    // An `e` without following digits is the constant e, not an exponent.
    if let Some(b'e' | b'E') = bytes.get(length) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    let text = &rest[..length];
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Token::Number(value), length)),
        Ok(value) => Err(ParseError::NotFinite { position, value }),
        Err(_) => Err(ParseError::Unexpected {
            position,
            found: format!("'{text}'"),
            expected: "a number such as 2, .5 or 1e-3".to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Token<'_>> {
        let mut tokens = Tokens::new(text);
        let mut found = Vec::new();
        loop {
            match tokens.next().unwrap().0 {
                Token::End => return found,
                token => found.push(token),
            }
        }
    }

    #[test]
    fn numbers_in_every_notation() {
        let written = all("1 1. .5 1e-3 2.5E+2 3e4");
        let expected = [1.0, 1.0, 0.5, 1e-3, 250.0, 3e4].map(Token::Number);
        assert_eq!(written, expected);
    }

    #[test]
    fn an_e_without_digits_is_a_name() {
        assert_eq!(all("2e"), [Token::Number(2.0), Token::Name("e")]);
        assert_eq!(all("2e+x"), [Token::Number(2.0), Token::Name("e"), Token::Symbol('+'), Token::Name("x")]);
    }

    #[test]
    fn names_may_have_dots() {
        assert_eq!(all("crank.tip.x*2"), [Token::Name("crank.tip.x"), Token::Symbol('*'), Token::Number(2.0)]);
        assert_eq!(all("a_1.b2-.5"), [Token::Name("a_1.b2"), Token::Symbol('-'), Token::Number(0.5)]);
        assert_eq!(all("tank.s'+x"), [Token::Name("tank.s'"), Token::Symbol('+'), Token::Name("x")]);
        assert_eq!(all("x.5"), [Token::Name("x"), Token::Number(0.5)]);
    }

    #[test]
    fn what_is_no_token_is_refused_with_its_place() {
        for (text, position) in
            [("1 − 2", 2), (".", 0), ("1.5.x", 3), ("a.b.", 3), ("x''", 2), ("1e999", 0), ("2**3", 1)]
        {
            let mut tokens = Tokens::new(text);
            let error = loop {
                match tokens.next() {
                    Ok((Token::End, _)) => panic!("{text} was accepted"),
                    Ok(_) => {}
                    Err(error) => break error,
                }
            };
            assert_eq!(error.position(), position, "{text}: {error}");
        }
    }
}
