//! Values of the options `--rotating-about` and `--rate`, which several commands share.

/// An axis: x, y, z, or three numbers.
pub fn parse_axis(text: &str) -> Result<[f64; 3], String> {
    match text.trim() {
        "x" => return Ok([1.0, 0.0, 0.0]),
        "y" => return Ok([0.0, 1.0, 0.0]),
        "z" => return Ok([0.0, 0.0, 1.0]),
        _ => {}
    }
    match parse_vector(text) {
        Ok([0.0, 0.0, 0.0]) => Err("the axis must not be zero".to_string()),
        Ok(axis) => Ok(axis),
        Err(_) => Err("write x, y, z, or three numbers such as 0,1,1".to_string()),
    }
}

/// Three numbers, separated by spaces or commas.
pub fn parse_vector(text: &str) -> Result<[f64; 3], String> {
    let parts =
        text.split([' ', ',']).filter(|p| !p.is_empty()).map(|p| p.parse::<f64>().ok().filter(|x| x.is_finite()));
    match parts.collect::<Option<Vec<f64>>>().as_deref() {
        Some([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err("write three numbers, for example \"0 0 1\"".to_string()),
    }
}

/// An angular velocity with its unit, or a number in rad/s.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_alphabetic() && c != 'e' && c != 'E').unwrap_or(text.len());
    let (value, unit) = (text[..split].trim(), text[split..].trim());
    let factor = match unit {
        "" | "rad/s" => 1.0,
        "deg/s" => std::f64::consts::PI / 180.0,
        "rpm" => std::f64::consts::PI / 30.0,
        "Hz" => std::f64::consts::TAU,
        _ => f64::NAN,
    };
    match value.parse::<f64>() {
        Ok(x) if (x * factor).is_finite() => Ok(x * factor),
        _ => Err("write a number with rad/s, deg/s, rpm or Hz, for example \"16 rad/s\"".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_axes() {
        assert_eq!(parse_rate("16 rad/s"), Ok(16.0));
        assert_eq!(parse_rate("-2.5e1"), Ok(-25.0));
        assert!((parse_rate("30 rpm").unwrap_or(0.0) - std::f64::consts::PI).abs() < 1e-15);
        assert!(parse_rate("16 m/s").is_err() && parse_rate("rad/s").is_err() && parse_rate("").is_err());
        assert_eq!(parse_vector("0, 0 -1"), Ok([0.0, 0.0, -1.0]));
        assert!(parse_vector("0 1").is_err() && parse_vector("a b c").is_err() && parse_vector("0 0 nan").is_err());
        assert_eq!((parse_axis("y"), parse_axis("0,1,1")), (Ok([0.0, 1.0, 0.0]), Ok([0.0, 1.0, 1.0])));
        assert!(parse_axis("0 0 0").is_err_and(|e| e.contains("zero")) && parse_axis("w").is_err());
    }
}
