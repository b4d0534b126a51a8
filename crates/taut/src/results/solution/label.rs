//! Name and description of a column.

/// Name and meaning of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnLabel {
    /// `element.quantity`.
    pub name: String,
    /// Description as a phrase.
    pub meaning: String,
}

impl ColumnLabel {
    /// A label with this name and description.
    pub fn new(name: impl Into<String>, meaning: impl Into<String>) -> ColumnLabel {
        ColumnLabel { name: name.into(), meaning: meaning.into() }
    }

    /// A coordinate or velocity of a body, from its full name.
    pub fn of_body(name: &str) -> ColumnLabel {
        ColumnLabel::new(name, body_quantity_meaning(name))
    }

    /// The acceleration that belongs to a velocity.
    ///
    /// `rod.vx` → `rod.ax`, `rod.omega` → `rod.alpha`, `rod.wx` → `rod.alpha_x`, `motor.s'` → `motor.s''`.
    pub fn of_acceleration(velocity: &str) -> ColumnLabel {
        let (body, short) = velocity.rsplit_once('.').unwrap_or(("", velocity));
        let short = match short {
            "omega" => "alpha".to_string(),
            "vx" | "vy" | "vz" => short.replacen('v', "a", 1),
            "wx" | "wy" | "wz" => short.replacen('w', "alpha_", 1),
            rate if rate.ends_with('\'') => format!("{rate}'"),
            other => format!("{other}'"),
        };
        ColumnLabel::of_body(&format!("{body}.{short}"))
    }
}

fn body_quantity_meaning(name: &str) -> String {
    let (body, short) = name.rsplit_once('.').unwrap_or(("", name));
    let point = format!("of the reference point of body `{body}`");
    let turning = format!("of body `{body}`, world axes");
    match short {
        "x" | "y" | "z" => format!("{short} {point}"),
        "vx" | "vy" | "vz" => format!("{} velocity {point}", &short[1..]),
        "ax" | "ay" | "az" => format!("{} acceleration {point}", &short[1..]),
        "qw" | "qx" | "qy" | "qz" => format!("{} part of the unit quaternion of body `{body}`", &short[1..]),
        "wx" | "wy" | "wz" => format!("{} angular velocity {turning}", &short[1..]),
        "alpha_x" | "alpha_y" | "alpha_z" => format!("{} angular acceleration {turning}", &short[6..]),
        "theta" => format!("angle of body `{body}` about z"),
        "omega" => format!("angular velocity of body `{body}` about z"),
        "alpha" => format!("angular acceleration of body `{body}` about z"),
        other => {
            let coordinate = other.trim_end_matches('\'');
            let derivative = ["coordinate", "rate of coordinate", "acceleration of coordinate"];
            format!("{} `{coordinate}` of body `{body}`", derivative[(other.len() - coordinate.len()).min(2)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ColumnLabel;

    #[test]
    fn names_of_bodies_are_described_in_words() {
        let reported = |name: &str| ColumnLabel::of_body(name).meaning;
        assert_eq!(reported("rod.x"), "x of the reference point of body `rod`");
        assert_eq!(reported("left.rod.vy"), "y velocity of the reference point of body `left.rod`");
        assert_eq!(reported("motor.s'"), "rate of coordinate `s` of body `motor`");
        let label = ColumnLabel::of_acceleration("rod.wx");
        assert_eq!(label, ColumnLabel::new("rod.alpha_x", "x angular acceleration of body `rod`, world axes"));
        assert_eq!(ColumnLabel::of_acceleration("motor.s'").name, "motor.s''");
    }
}
