//! Serialises numbers as the hexadecimal digits of their bits: text formats may round decimals and have no NaN, but a checkpoint
//! must be exact.

/// A single number.
pub mod number {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{:016x}", x.to_bits()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        let digits = String::deserialize(deserializer)?;
        super::parse(&digits).ok_or_else(|| D::Error::custom("not the 16 digits of a number"))
    }
}

/// A list of numbers, as one string.
pub mod list {
    use std::fmt::Write;

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(list: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        let mut digits = String::with_capacity(16 * list.len());
        for x in list {
            // Writing to a String cannot fail.
            let _ = write!(digits, "{:016x}", x.to_bits());
        }
        serializer.serialize_str(&digits)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let digits = String::deserialize(deserializer)?;
        digits
            .as_bytes()
            .chunks(16)
            .map(|chunk| std::str::from_utf8(chunk).ok().and_then(super::parse))
            .collect::<Option<Vec<f64>>>()
            .ok_or_else(|| D::Error::custom("not a multiple of the 16 digits of a number"))
    }
}

/// An optional number.
pub mod option {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Number(#[serde(with = "super::number")] f64);

    pub fn serialize<S: Serializer>(x: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        x.map(Number).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Number>::deserialize(d)?.map(|Number(x)| x))
    }
}

fn parse(digits: &str) -> Option<f64> {
    let hexadecimal = digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let bits = u64::from_str_radix(digits, 16).ok()?;
    hexadecimal.then(|| f64::from_bits(bits))
}
