//! Units of input: `25 mm`, `2 N*m/rad`. Internally all numbers are in SI and radians.

/// Exponents of metre, kilogram, second and radian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dimension {
    pub m: i8,
    pub kg: i8,
    pub s: i8,
    pub rad: i8,
}

impl Dimension {
    pub const NONE: Dimension = Dimension::of(0, 0, 0, 0);
    pub const LENGTH: Dimension = Dimension::of(1, 0, 0, 0);
    pub const MASS: Dimension = Dimension::of(0, 1, 0, 0);
    pub const TIME: Dimension = Dimension::of(0, 0, 1, 0);
    pub const ANGLE: Dimension = Dimension::of(0, 0, 0, 1);
    pub const FORCE: Dimension = Dimension::of(1, 1, -2, 0);
    pub const TORQUE: Dimension = Dimension::of(2, 1, -2, 0);

    pub const fn of(m: i8, kg: i8, s: i8, rad: i8) -> Dimension {
        Dimension { m, kg, s, rad }
    }

    /// The dimension of a product with the `n`-th power of another.
    pub const fn times(self, other: Dimension, n: i8) -> Dimension {
        const fn add(a: i8, b: i8, n: i8) -> i8 {
            a.saturating_add(b.saturating_mul(n))
        }
        Dimension {
            m: add(self.m, other.m, n),
            kg: add(self.kg, other.kg, n),
            s: add(self.s, other.s, n),
            rad: add(self.rad, other.rad, n),
        }
    }

    pub const fn per(self, other: Dimension) -> Dimension {
        self.times(other, -1)
    }

    /// Whether a quantity of this dimension fits the expected dimension `requested`. The radian is a ratio of lengths and may
    /// appear or vanish in products, but an angle is not a plain number.
    pub fn fits(self, requested: Dimension) -> bool {
        let alike = (self.m, self.kg, self.s) == (requested.m, requested.kg, requested.s);
        let angle_for_number = requested == Dimension::NONE && self.rad != 0;
        alike && !angle_for_number
    }

    /// As a unit that can be read back: `m^2*kg^1*s^-2*rad^0`.
    pub fn unit(self) -> String {
        format!("m^{}*kg^{}*s^{}*rad^{}", self.m, self.kg, self.s, self.rad)
    }

    /// In SI units: `kg m^2/s^2`.
    pub fn to_text(self) -> String {
        let part = |list: &[(&str, i16)]| -> String {
            let words = list
                .iter()
                .filter(|(_, n)| *n > 0)
                .map(|(u, n)| if *n == 1 { u.to_string() } else { format!("{u}^{n}") });
            words.collect::<Vec<_>>().join(" ")
        };
        // An exponent of −128 has no opposite among 8-bit numbers.
        let powers = [("kg", self.kg), ("m", self.m), ("s", self.s), ("rad", self.rad)].map(|(u, n)| (u, i16::from(n)));
        let up = part(&powers);
        let down = part(&powers.map(|(u, n)| (u, -n)));
        match (up.is_empty(), down.is_empty()) {
            (true, true) => "a plain number".to_string(),
            (false, true) => up,
            (true, false) => format!("1/{down}"),
            (false, false) => format!("{up}/{down}"),
        }
    }
}

/// A unit: its size is `numerator / denominator` in SI, so that decimal prefixes round correctly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub numerator: f64,
    pub denominator: f64,
    pub dimension: Dimension,
}

use std::f64::consts::PI;

const PRESSURE: Dimension = Dimension::of(-1, 1, -2, 0);
const POWER: Dimension = Dimension::of(2, 1, -3, 0);
const ANGULAR_RATE: Dimension = Dimension::of(0, 0, -1, 1);

/// Every unit: name, numerator, denominator, dimension. Values: SI brochure (9th ed.), NIST SP 811 appendix B.
const UNITS: &[(&str, f64, f64, Dimension)] = &[
    ("m", 1.0, 1.0, Dimension::LENGTH),
    ("mm", 1.0, 1e3, Dimension::LENGTH),
    ("cm", 1.0, 1e2, Dimension::LENGTH),
    ("km", 1e3, 1.0, Dimension::LENGTH),
    ("um", 1.0, 1e6, Dimension::LENGTH),
    ("in", 254.0, 1e4, Dimension::LENGTH),
    ("ft", 3048.0, 1e4, Dimension::LENGTH),
    ("yd", 9144.0, 1e4, Dimension::LENGTH),
    ("mi", 1_609_344.0, 1e3, Dimension::LENGTH),
    ("kg", 1.0, 1.0, Dimension::MASS),
    ("g", 1.0, 1e3, Dimension::MASS),
    ("mg", 1.0, 1e6, Dimension::MASS),
    ("t", 1e3, 1.0, Dimension::MASS),
    ("lb", 45_359_237.0, 1e8, Dimension::MASS),
    ("oz", 45_359_237.0, 16e8, Dimension::MASS),
    ("slug", 4.448_221_615_260_5, 0.3048, Dimension::MASS),
    ("s", 1.0, 1.0, Dimension::TIME),
    ("ms", 1.0, 1e3, Dimension::TIME),
    ("us", 1.0, 1e6, Dimension::TIME),
    ("min", 60.0, 1.0, Dimension::TIME),
    ("h", 3600.0, 1.0, Dimension::TIME),
    ("rad", 1.0, 1.0, Dimension::ANGLE),
    ("mrad", 1.0, 1e3, Dimension::ANGLE),
    ("deg", PI, 180.0, Dimension::ANGLE),
    ("rev", 2.0 * PI, 1.0, Dimension::ANGLE),
    ("arcmin", PI, 10_800.0, Dimension::ANGLE),
    ("arcsec", PI, 648_000.0, Dimension::ANGLE),
    ("rpm", PI, 30.0, ANGULAR_RATE),
    ("Hz", 2.0 * PI, 1.0, ANGULAR_RATE),
    ("N", 1.0, 1.0, Dimension::FORCE),
    ("kN", 1e3, 1.0, Dimension::FORCE),
    ("MN", 1e6, 1.0, Dimension::FORCE),
    ("mN", 1.0, 1e3, Dimension::FORCE),
    ("lbf", 44_482_216_152_605.0, 1e13, Dimension::FORCE),
    ("kgf", 980_665.0, 1e5, Dimension::FORCE),
    ("Nm", 1.0, 1.0, Dimension::TORQUE),
    ("J", 1.0, 1.0, Dimension::TORQUE),
    ("kJ", 1e3, 1.0, Dimension::TORQUE),
    ("W", 1.0, 1.0, POWER),
    ("kW", 1e3, 1.0, POWER),
    ("hp", 745.699_871_582_270_2, 1.0, POWER),
    ("Pa", 1.0, 1.0, PRESSURE),
    ("kPa", 1e3, 1.0, PRESSURE),
    ("MPa", 1e6, 1.0, PRESSURE),
    ("GPa", 1e9, 1.0, PRESSURE),
    ("bar", 1e5, 1.0, PRESSURE),
    ("psi", 6_894.757_293_168_361, 1.0, PRESSURE),
    ("g0", 980_665.0, 1e5, Dimension::of(1, 0, -2, 0)),
];

/// Why a text is not a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoUnit {
    /// Unknown name at this byte.
    Unknown { name: String, at: usize },
    /// Unexpected text at this byte.
    Garbled { at: usize },
}

/// Reads `N*m/rad`, `kg m^2`, `m/(s^2)`.
pub(crate) fn unit(text: &str) -> Result<Unit, NoUnit> {
    let mut reader = UnitParser { text, at: 0, depth: 0 };
    let unit = reader.product()?;
    if reader.peek().is_some() { Err(NoUnit::Garbled { at: reader.at }) } else { Ok(unit) }
}

/// All names of units.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    UNITS.iter().map(|u| u.0)
}

struct UnitParser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl UnitParser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn product(&mut self) -> Result<Unit, NoUnit> {
        let mut all = self.power()?;
        loop {
            let n = match self.peek() {
                Some('*' | '·') => {
                    self.at += if self.text[self.at..].starts_with('*') { 1 } else { '·'.len_utf8() };
                    1
                }
                Some('/') => {
                    self.at += 1;
                    -1
                }
                Some(c) if c.is_alphabetic() || c == '(' => 1,
                _ => return Ok(all),
            };
            let next = self.power()?;
            let (up, down) =
                if n == 1 { (next.numerator, next.denominator) } else { (next.denominator, next.numerator) };
            all.numerator *= up;
            all.denominator *= down;
            all.dimension = all.dimension.times(next.dimension, n);
        }
    }

    fn power(&mut self) -> Result<Unit, NoUnit> {
        let base = self.factor()?;
        if self.peek() != Some('^') {
            return Ok(base);
        }
        self.at += 1;
        self.peek();
        let digits =
            self.text[self.at..].char_indices().take_while(|(i, c)| c.is_ascii_digit() || (*i == 0 && *c == '-'));
        let length = digits.map(|(_, c)| c.len_utf8()).sum::<usize>();
        let n: i8 = self.text[self.at..self.at + length].parse().map_err(|_| NoUnit::Garbled { at: self.at })?;
        self.at += length;
        let raised = |x: f64| x.powi(i32::from(n));
        let (numerator, denominator) = (raised(base.numerator), raised(base.denominator));
        Ok(Unit { numerator, denominator, dimension: Dimension::NONE.times(base.dimension, n) })
    }

    fn factor(&mut self) -> Result<Unit, NoUnit> {
        match self.peek() {
            Some('(') if self.depth < 20 => {
                (self.at, self.depth) = (self.at + 1, self.depth + 1);
                let inner = self.product()?;
                if self.peek() != Some(')') {
                    return Err(NoUnit::Garbled { at: self.at });
                }
                (self.at, self.depth) = (self.at + 1, self.depth - 1);
                Ok(inner)
            }
            Some('1') => {
                self.at += 1;
                Ok(Unit { numerator: 1.0, denominator: 1.0, dimension: Dimension::NONE })
            }
            Some(c) if c.is_alphabetic() => {
                let rest = &self.text[self.at..];
                let length = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
                let (name, at) = (&rest[..length], self.at);
                self.at += length;
                match UNITS.iter().find(|u| u.0 == name) {
                    Some(&(_, numerator, denominator, dimension)) => Ok(Unit { numerator, denominator, dimension }),
                    None => Err(NoUnit::Unknown { name: name.to_string(), at }),
                }
            }
            _ => Err(NoUnit::Garbled { at: self.at }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(text: &str) -> f64 {
        let u = unit(text).unwrap();
        u.numerator / u.denominator
    }

    #[test]
    fn sizes_of_units() {
        assert_eq!(9.0 * unit("mm").unwrap().numerator / unit("mm").unwrap().denominator, 0.009);
        assert_eq!(size("in"), 0.0254);
        assert_eq!(size("lbf"), 4.448_221_615_260_5);
        // 1 slug is the mass that 1 lbf accelerates by 1 ft/s²; 1 psi is 1 lbf/in².
        assert!((size("slug") - 14.593_902_937_206_4).abs() < 1e-12);
        assert!((size("lbf/in^2") - size("psi")).abs() < 1e-9);
        assert!((size("rev/min") - size("rpm")).abs() < 1e-16);
        // 550 ft lbf/s
        assert!((550.0 * size("ft*lbf/s") - size("hp")).abs() < 1e-10);
    }

    #[test]
    fn compounds() {
        let k = unit("N*m/rad").unwrap().dimension;
        assert_eq!(k, Dimension::of(2, 1, -2, -1));
        assert_eq!(unit("kg m^2").unwrap().dimension, Dimension::of(2, 1, 0, 0));
        assert_eq!(unit("kg/(m s^2)").unwrap().dimension, PRESSURE);
        assert_eq!(unit("1/s").unwrap().dimension, Dimension::of(0, 0, -1, 0));
        assert_eq!(unit("furlong"), Err(NoUnit::Unknown { name: "furlong".to_string(), at: 0 }));
        assert!(unit("m//s").is_err() && unit("").is_err() && unit("m^").is_err() && unit("(m").is_err());
    }
}
