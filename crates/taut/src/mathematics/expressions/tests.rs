use proptest::prelude::*;

use super::*;
use crate::scalar::{Dual, Jet};

fn value(text: &str) -> f64 {
    Expression::parse(text, &["x", "y"]).unwrap().evaluate(&[2.0, -3.0])
}

/// A long text, in bytes.
const LONG: usize = 100_000;

fn error(text: &str) -> ParseError {
    Expression::parse(text, &["x", "y"]).unwrap_err()
}

#[test]
fn precedence_and_grouping() {
    for (text, expected) in [
        ("1+2*3", 7.0),
        ("(1+2)*3", 9.0),
        ("10-4-3", 3.0),
        ("24/4/2", 3.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("2^-1*3", 1.5),
        ("-x*y", 6.0),
        ("-x^2", -4.0),
        ("x-y", 5.0),
        ("x--y", -1.0),
        ("+x", 2.0),
        ("y^3", -27.0),
        ("x^y", 0.125),
        ("x/y*y", 2.0),
        (" x\t+\ny ", -1.0),
        ("((((x))))", 2.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn functions_and_constants() {
    use std::f64::consts::{E, PI};
    let (x, y) = (2.0_f64, -3.0_f64);
    for (text, expected) in [
        ("pi", PI),
        ("e", E),
        ("sin(x)", x.sin()),
        ("cos(x)", x.cos()),
        ("tan(x)", x.tan()),
        ("asin(x/4)", 0.5_f64.asin()),
        ("acos(x/4)", 0.5_f64.acos()),
        ("atan(x)", x.atan()),
        ("atan2(x, y)", x.atan2(y)),
        ("sinh(x)", x.sinh()),
        ("cosh(x)", x.cosh()),
        ("tanh(x)", x.tanh()),
        ("exp(x)", x.exp()),
        ("ln(x)", x.ln()),
        ("log10(500*x)", 3.0),
        ("sqrt(x)", x.sqrt()),
        ("abs(y)", 3.0),
        ("min(x, y)", y),
        ("max(x, y)", x),
        ("sign(y)", -1.0),
        ("floor(y/2)", -2.0),
        ("mod(y, x)", 1.0),
        ("step(x, 1, 0, 3, 8)", 4.0),
        ("if_pos(y, ln(y), x)", x),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn a_variable_hides_a_constant_and_leaves_functions_alone() {
    let ellipse = Expression::parse("e*2", &["e"]).unwrap();
    assert_eq!(ellipse.evaluate(&[0.25]), 0.5);
    let odd = Expression::parse("sin(sin)", &["sin"]).unwrap();
    assert_eq!(odd.evaluate(&[1.0]), 1.0_f64.sin());
}

#[test]
fn errors_say_where_what_and_what_instead() {
    for (text, message) in [
        ("", "at byte 0: found the end, expected a number, a name, '-' or '('"),
        ("1+", "at byte 2: found the end, expected a number, a name, '-' or '('"),
        ("2 x", "at byte 2: found 'x', expected an operator or the end"),
        ("(1", "at byte 2: found the end, expected an operator or ')'"),
        ("1)", "at byte 1: found ')', expected an operator or the end"),
        ("x(2)", "at byte 1: found '(', expected an operator or the end"),
        ("sin x", "at byte 4: found 'x', expected '(' of sin(x)"),
        ("x**2", "at byte 1: found '**', expected '^' for a power"),
        ("1.2.3", "at byte 3: found the number 0.3, expected an operator or the end"),
        (
            "1 + sinn(x)",
            "at byte 4: found the unknown name 'sinn', expected a variable ('x', 'y'), \
             a constant or a function; did you mean 'sin'?",
        ),
        ("atan2(x)", "at byte 0: found 1 argument(s) for atan2, expected atan2(y, x)"),
        ("x + step()", "at byte 4: found 0 argument(s) for step, expected step(x, x0, y0, x1, y1)"),
        (
            "x + 1/0",
            "at byte 5: found a constant subexpression with the value inf, expected a finite one; \
             check for a division by zero or an argument out of domain",
        ),
        ("x = 2", "at byte 2: found '=', expected a number, a name or one of + - * / ^ ( ) ,"),
    ] {
        assert_eq!(error(text).to_string(), message);
    }
    let unknown = error("volocity");
    assert!(matches!(unknown, ParseError::UnknownName { suggestion: None, .. }));
}

#[test]
fn dotted_names_become_variables_as_they_appear() {
    let formula = Expression::parse_dotted("rod.b.x^2 + t*crank.x - rod.b.x", &["t"]).unwrap();
    assert_eq!(formula.variables(), ["t", "rod.b.x", "crank.x"]);
    assert_eq!(formula.evaluate(&[2.0, 3.0, 5.0]), 16.0);
    assert_eq!(formula.text(), "rod.b.x^2 + t*crank.x - rod.b.x");
    // Names without a dot and functions must be known.
    let refused = |text| Expression::parse_dotted(text, &["t"]).unwrap_err();
    assert!(matches!(refused("T*crank.x"), ParseError::UnknownName { position: 0, suggestion: Some(_), .. }));
    assert_eq!(refused("crank.x(2)").position(), 7);
    assert_eq!(refused("1.5.x").position(), 3);
    // With declared variables only, dotted names must be declared too.
    assert!(matches!(error("x.y"), ParseError::UnknownName { position: 0, .. }));
}

#[test]
fn excessive_texts_are_refused() {
    for unit in ["(", "-", "x^", "x+(", "sin(", "+"] {
        let text = unit.repeat(LONG / unit.len() - 1) + "x";
        assert!(matches!(error(&text), ParseError::TooDeep { .. }), "{unit}");
    }
    // Long expressions without nesting are accepted.
    assert_eq!(value(&("x+".repeat(20_000) + "x")), 40_002.0);
    let nested = "(".repeat(40) + "x" + &")".repeat(40);
    assert_eq!(value(&nested), 2.0);
}

#[test]
fn missing_values_are_nan() {
    let sum = Expression::parse("x+y", &["x", "y"]).unwrap();
    assert!(sum.evaluate(&[1.0]).is_nan());
}

#[test]
fn constants_are_recognised() {
    let constant = |text| Expression::parse(text, &["x"]).unwrap().constant();
    assert_eq!(constant("2*3"), Some(6.0));
    assert_eq!(constant("2*x"), None);
}

#[test]
fn text_is_kept() {
    let spring = Expression::parse("-100 * x", &["x"]).unwrap();
    assert_eq!(spring.to_string(), "-100 * x");
    assert_eq!(serde_json::to_string(&spring).unwrap(), "\"-100 * x\"");
    assert_eq!(spring.clone(), spring);
    assert_ne!(spring, Expression::parse("-100*x", &["x"]).unwrap());
}

proptest! {
    #[test]
    fn derivatives_are_those_of_the_same_function_in_rust(x in 0.1..3.0_f64, y in -2.0..2.0_f64) {
        let formula = Expression::parse("sin(x*y)^2 / (1 + x^1.5) - exp(-y)*x^y", &["x", "y"]).unwrap();
        let rust = |x: Dual<2>, y: Dual<2>| {
            (x * y).sin().powi(2) / (1.0 + x.powf(1.5)) - (-y).exp() * x.pow(y)
        };
        let [a, b] = Dual::variables([x, y]);
        let (parsed, direct) = (formula.evaluate(&[a, b]), rust(a, b));
        for (p, d) in [
            (parsed.re, direct.re),
            (parsed.eps[0], direct.eps[0]),
            (parsed.eps[1], direct.eps[1]),
        ] {
            prop_assert!((p - d).abs() <= 1e-13 * (1.0 + d.abs()));
        }
        let jet = formula.evaluate(&[Jet::variable(x), Jet::constant(y)]);
        prop_assert!((jet.df - direct.eps[0]).abs() <= 1e-13 * (1.0 + jet.df.abs()));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,40}") {
        let _ = Expression::parse(&text, &["x"]);
    }

    #[test]
    fn no_arrangement_of_words_panics(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "x", "1", "2.5e-1", "+", "-", "*", "/", "^", "(", ")", ",", "sin(", "step(",
                "atan2(", "pi", "if_pos(", "e", ".", "x.y", "'",
            ]),
            0..40,
        ),
    ) {
        if let Ok(expression) = Expression::parse(&words.concat(), &["x"]) {
            let _ = expression.evaluate(&[Jet::variable(0.5)]);
        }
        let _ = Expression::parse_dotted(&words.concat(), &["x"]);
    }

    #[test]
    fn numbers_are_read_to_the_last_bit(x in prop::num::f64::POSITIVE) {
        let read = Expression::parse(&format!("{x:e}"), &[]).unwrap().evaluate::<f64>(&[]);
        prop_assert_eq!(read.to_bits(), x.to_bits());
    }
}
