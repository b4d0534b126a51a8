//! A number with its unit as the user wrote it: `80 mm`.

use super::formula;
use super::units::{self, Dimension, NoUnit};
use crate::diagnostic::did_you_mean;

/// A number with its unit as written; its value in SI is known as well.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenQuantity {
    /// The number before the unit.
    pub number: f64,
    /// The unit; empty for a number without one, which is in SI.
    pub unit: String,
    /// The value in SI.
    pub si: f64,
    dimension: Dimension,
}

impl WrittenQuantity {
    /// Reads `0.3`, `80 mm` or `2 N*m/rad`; none if the text is an expression, a name or a list.
    ///
    /// # Errors
    /// A number with an unknown unit; the text says what is wrong.
    pub fn parse(text: &str) -> Result<Option<WrittenQuantity>, String> {
        let text = text.trim();
        if let Ok(number) = text.parse::<f64>() {
            let plain = WrittenQuantity { number, unit: String::new(), si: number, dimension: Dimension::NONE };
            return Ok(Some(plain).filter(|q| q.number.is_finite()));
        }
        match formula::quantity(text) {
            None => Ok(None),
            Some(Err(NoUnit::Unknown { name, .. })) => {
                let hint = did_you_mean(&name, units::names());
                Err(format!("`{text}`: unknown unit `{name}`{hint}"))
            }
            Some(Err(NoUnit::Garbled { at })) => {
                Err(format!("`{text}`: the unit cannot be parsed from `{}` on", text.get(at..).unwrap_or("")))
            }
            Some(Ok(quantity)) => {
                // The number is the longest beginning that is one: the e of `2e` could begin an exponent or a unit.
                let cut = text.char_indices().map(|(i, _)| i).rfind(|i| text[..*i].trim().parse::<f64>().is_ok());
                let (number, unit) = text.split_at(cut.unwrap_or(0));
                let number = number.trim().parse().unwrap_or(f64::NAN);
                let unit = unit.trim().to_string();
                let dimension = units::unit(&unit).map_or(Dimension::NONE, |u| u.dimension);
                Ok(Some(WrittenQuantity { number, unit, si: quantity.value, dimension }))
            }
        }
    }

    /// The time in s; none if this is not a time.
    pub fn seconds(&self) -> Option<f64> {
        (self.unit.is_empty() || self.dimension == Dimension::TIME).then_some(self.si)
    }

    /// The number of this quantity in the unit of another; none if their dimensions differ, or only one has a unit.
    pub fn number_in_unit_of(&self, other: &WrittenQuantity) -> Option<f64> {
        if self.unit == other.unit {
            return Some(self.number);
        }
        if self.dimension != other.dimension || self.unit.is_empty() || other.unit.is_empty() {
            return None;
        }
        let unit = units::unit(&other.unit).ok()?;
        Some(self.si * unit.denominator / unit.numerator)
    }
}

#[cfg(test)]
mod tests {
    use super::WrittenQuantity;

    fn read(text: &str) -> WrittenQuantity {
        WrittenQuantity::parse(text).unwrap().unwrap()
    }

    #[test]
    fn numbers_and_units_as_written() {
        let q = read("80 mm");
        assert_eq!((q.number, q.unit.as_str(), q.si), (80.0, "mm", 0.08));
        assert_eq!((read("-1e-3").number, read("1e3 kg*m^2").unit.as_str()), (-1e-3, "kg*m^2"));
        assert_eq!(read("12 cm").number_in_unit_of(&q), Some(120.0));
        assert_eq!(read("12 kg").number_in_unit_of(&q), None);
        assert_eq!(read("12").number_in_unit_of(&q), None);
        assert_eq!(WrittenQuantity::parse("2*a"), Ok(None));
        assert_eq!(WrittenQuantity::parse("dop853"), Ok(None));
        assert!(WrittenQuantity::parse("80 mn").unwrap_err().contains("did you mean"));
    }
}
