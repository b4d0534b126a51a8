//! Parser: from tokens to code, with operator precedence by binding powers (Pratt).

use super::ParseError;
use super::code::{Code, Instruction, NESTING_LIMIT};
use super::functions::Function;
use super::names;
use super::tokens::{Token, Tokens};

/// Binding power of a sign in front of an operand: tighter than a product, looser than a power, so
/// that -2^2 is -(2^2).
const SIGN_BINDING_POWER: u8 = 5;

/// Left and right binding power of an infix operator.
fn infix_operator(token: Token<'_>) -> Option<(Instruction, u8, u8)> {
    match token {
        Token::Symbol('+') => Some((Instruction::Add, 1, 2)),
        Token::Symbol('-') => Some((Instruction::Subtract, 1, 2)),
        Token::Symbol('*') => Some((Instruction::Multiply, 3, 4)),
        Token::Symbol('/') => Some((Instruction::Divide, 3, 4)),
        Token::Symbol('^') => Some((Instruction::Power, 8, 7)),
        _ => None,
    }
}

/// Whether undeclared names with dots are errors or become variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Undeclared {
    Refused,
    Collected,
}

/// Translates a text in the given variables into code.
pub(super) fn parse(text: &str, variables: &[&str]) -> Result<Code, ParseError> {
    let (code, _) = translate(text, variables, Undeclared::Refused)?;
    Ok(code)
}

/// Translates a text into code; names with dots become variables, appended in order of appearance.
pub(super) fn parse_dotted(text: &str, variables: &[&str]) -> Result<(Code, Vec<String>), ParseError> {
    let (code, collected) = translate(text, variables, Undeclared::Collected)?;
    Ok((code, collected.into_iter().map(str::to_string).collect()))
}

fn translate<'a>(
    text: &'a str,
    variables: &'a [&'a str],
    undeclared: Undeclared,
) -> Result<(Code, Vec<&'a str>), ParseError> {
    let mut tokens = Tokens::new(text);
    let (token, position) = tokens.next()?;
    let variables = variables.to_vec();
    let mut parser = Parser { tokens, token, position, variables, undeclared, code: Code::default() };
    parser.expression(0, 0)?;
    match parser.token {
        Token::End => Ok((parser.code, parser.variables)),
        _ => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    /// The current token, and its byte offset.
    token: Token<'a>,
    position: usize,
    variables: Vec<&'a str>,
    undeclared: Undeclared,
    code: Code,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Result<(), ParseError> {
        (self.token, self.position) = self.tokens.next()?;
        Ok(())
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        ParseError::Unexpected { position: self.position, found: self.token.describe(), expected: expected.to_string() }
    }

    fn expect(&mut self, symbol: char, expected: &str) -> Result<(), ParseError> {
        if self.token == Token::Symbol(symbol) { self.advance() } else { Err(self.unexpected(expected)) }
    }

    /// An operand and all following operators that bind at least as tightly as `binding`.
    fn expression(&mut self, binding: u8, nesting: usize) -> Result<(), ParseError> {
        if nesting > NESTING_LIMIT {
            return Err(ParseError::TooDeep { position: self.position, limit: NESTING_LIMIT });
        }
        self.operand(nesting)?;
        while let Some((operator, left, right)) = infix_operator(self.token) {
            if left < binding {
                break;
            }
            let position = self.position;
            self.advance()?;
            self.expression(right, nesting + 1)?;
            self.code.emit(operator, position)?;
        }
        Ok(())
    }

    fn operand(&mut self, nesting: usize) -> Result<(), ParseError> {
        let position = self.position;
        match self.token {
            Token::Number(number) => {
                self.code.emit(Instruction::Constant(number), position)?;
                self.advance()
            }
            Token::Name(name) => {
                self.advance()?;
                self.named(name, position, nesting)
            }
            Token::Symbol('-') => {
                self.advance()?;
                self.expression(SIGN_BINDING_POWER, nesting + 1)?;
                self.code.emit(Instruction::Negate, position)
            }
            Token::Symbol('+') => {
                self.advance()?;
                self.expression(SIGN_BINDING_POWER, nesting + 1)
            }
            Token::Symbol('(') => {
                self.advance()?;
                self.expression(0, nesting + 1)?;
                self.expect(')', "an operator or ')'")
            }
            _ => Err(self.unexpected("a number, a name, '-' or '('")),
        }
    }

    /// A variable, a constant or a call, after its name.
    fn named(&mut self, name: &'a str, position: usize, nesting: usize) -> Result<(), ParseError> {
        if self.undeclared == Undeclared::Collected && name.contains('.') && !self.variables.contains(&name) {
            self.variables.push(name);
        }
        let function = Function::named(name);
        // A variable hides a constant of the same name: e may be an eccentricity.
        let value = match self.variables.iter().position(|&v| v == name) {
            Some(index) => Some(Instruction::Variable(index)),
            None => names::constant(name).map(Instruction::Constant),
        };
        match (value, function) {
            (_, Some(function)) if self.token == Token::Symbol('(') => self.call(function, position, nesting),
            (Some(value), _) => self.code.emit(value, position),
            (None, Some(function)) => Err(self.unexpected(&format!("'(' of {}", function.signature()))),
            (None, None) => Err(names::unknown_name_error(name, position, &self.variables)),
        }
    }

    fn call(&mut self, function: Function, position: usize, nesting: usize) -> Result<(), ParseError> {
        let wrong = |found: usize| ParseError::WrongArguments {
            position,
            function: function.name(),
            signature: function.signature(),
            found,
        };
        self.advance()?;
        if self.token == Token::Symbol(')') {
            return Err(wrong(0));
        }
        let mut found = 0;
        loop {
            self.expression(0, nesting + 1)?;
            found += 1;
            if self.token != Token::Symbol(',') {
                break;
            }
            self.advance()?;
        }
        self.expect(')', "an operator, ',' or ')'")?;
        if found != function.arguments() {
            return Err(wrong(found));
        }
        self.code.emit(Instruction::Call(function), position)
    }
}
