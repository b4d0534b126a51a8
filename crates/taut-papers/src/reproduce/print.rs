//! What a paper prints about a quantity.

/// What a paper prints, as printed, and what that demands of our value.
#[derive(Clone, Debug, PartialEq)]
pub struct Print {
    /// As printed.
    pub text: String,
    /// What it demands.
    pub demand: PrintDemand,
}

/// What a print demands of our value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PrintDemand {
    /// It lies in this range.
    Within(f64, f64),
    /// The words hold, or do not, as the comparison with the reference shows.
    Words,
    /// Nothing: it is another quantity, such as the seconds of a run whose steps are counted here.
    Nothing,
}

impl Print {
    /// A number with the digits that it has: half a unit of the last one is allowed. Other text is a statement in words.
    pub fn parse(text: &str) -> Print {
        Print { text: text.to_string(), demand: last_digit(text).unwrap_or(PrintDemand::Words) }
    }

    /// A number that is printed with words such as `about`, or a range.
    pub fn within(text: &str, low: f64, high: f64) -> Print {
        Print { text: text.to_string(), demand: PrintDemand::Within(low, high) }
    }

    /// Another quantity, shown beside ours.
    pub fn beside(text: &str) -> Print {
        Print { text: text.to_string(), demand: PrintDemand::Nothing }
    }
}

/// The range that rounds to a printed number such as `69,033` or `-1.7778`.
fn last_digit(text: &str) -> Option<PrintDemand> {
    let plain = text.replace(',', "");
    let value: f64 = plain.parse().ok()?;
    let (digits, power) = match plain.split_once(['e', 'E']) {
        Some((digits, power)) => (digits.to_string(), power.parse::<i32>().ok()?),
        None => (plain.clone(), 0),
    };
    let decimals = digits.split_once('.').map_or(0, |(_, after)| after.len()) as i32;
    // A little more than half a unit, for numbers on the edge.
    let half = 0.5 * 10_f64.powi(power - decimals) * (1.0 + 1e-9);
    Some(PrintDemand::Within(value - half, value + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_are_printed() {
        let holds = |text: &str, x: f64| match Print::parse(text).demand {
            PrintDemand::Within(low, high) => low <= x && x <= high,
            _ => false,
        };
        assert!(
            holds("0.443", 0.4434) && !holds("0.443", 0.4436) && holds("0.0072", 0.00722) && !holds("0.0072", 0.0073)
        );
        assert!(holds("69,033", 69_033.0) && !holds("69,033", 69_034.0) && holds("1.6538e4", 16_537.5));
        assert!(holds("0", 4.9e-5) && holds("-1.7778", -1.77778));
        assert_eq!(Print::parse("does not converge").demand, PrintDemand::Words);
    }
}
