//! Colours of the picture.

use taut_io::plot::drawing::{Colour, Pen};

/// Light or dark background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white, for print.
    #[default]
    Light,
    /// Light on nearly black, for projectors.
    Dark,
}

/// Colours of bodies, distinguishable with every kind of colour vision (after Okabe and Ito).
const BODIES: [Colour; 7] = [
    [0x2f, 0x6d, 0xa8],
    [0xd9, 0x6b, 0x1c],
    [0x1d, 0x95, 0x74],
    [0xb8, 0x63, 0x94],
    [0xd6, 0x9a, 0x14],
    [0x4f, 0xa6, 0xd6],
    [0x7a, 0x7f, 0x87],
];
const TRAILS: [Colour; 4] = [[0xc6, 0x28, 0x28], [0x28, 0x4f, 0xc6], [0x1b, 0x87, 0x4a], [0x8e, 0x3f, 0xb0]];

/// The colours of a theme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Palette {
    pub theme: Theme,
    pub paper: Colour,
    pub text: Colour,
    pub line: Colour,
    /// The ground and what is fixed to it.
    pub ground: Colour,
    pub faint: Colour,
    /// Joints.
    pub metal: Tint,
}

/// One colour in several shades.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tint {
    pub light: Colour,
    pub base: Colour,
    pub dark: Colour,
    pub edge: Colour,
}

impl Palette {
    pub fn of(theme: Theme) -> Palette {
        let grey = [0x8a, 0x90, 0x98];
        match theme {
            Theme::Light => Palette {
                theme,
                paper: [0xff; 3],
                text: [0x1f, 0x22, 0x26],
                line: [0x2a, 0x2d, 0x31],
                ground: [0x55, 0x59, 0x5f],
                faint: [0xd6, 0xd9, 0xdd],
                metal: tint(grey, theme),
            },
            Theme::Dark => Palette {
                theme,
                paper: [0x15, 0x18, 0x1d],
                text: [0xe8, 0xea, 0xed],
                line: [0xd4, 0xd7, 0xdb],
                ground: [0x9a, 0xa0, 0xa8],
                faint: [0x38, 0x3d, 0x45],
                metal: tint(grey, theme),
            },
        }
    }

    pub fn pen(&self, width: f64) -> Pen {
        Pen { colour: self.line, width, dash: None }
    }

    /// The colour of a body: its own, or one from the palette by its number.
    pub fn body(&self, own: Option<&str>, number: usize) -> Tint {
        tint(own.and_then(parse_colour).unwrap_or(BODIES[number % BODIES.len()]), self.theme)
    }

    pub fn trail(&self, number: usize) -> Colour {
        let colour = TRAILS[number % TRAILS.len()];
        match self.theme {
            Theme::Light => colour,
            Theme::Dark => mix(colour, [0xff; 3], 0.45),
        }
    }
}

fn tint(colour: Colour, theme: Theme) -> Tint {
    let (white, black) = ([0xff; 3], [0x00; 3]);
    match theme {
        Theme::Light => Tint {
            light: mix(colour, white, 0.72),
            base: mix(colour, white, 0.5),
            dark: mix(colour, black, 0.08),
            edge: mix(colour, black, 0.45),
        },
        Theme::Dark => Tint {
            light: mix(colour, white, 0.45),
            base: mix(colour, white, 0.08),
            dark: mix(colour, black, 0.5),
            edge: mix(colour, white, 0.6),
        },
    }
}

impl Tint {
    /// The colour of a face with illumination from 0 to 1.
    pub fn shade(&self, light: f64) -> Colour {
        mix(self.dark, self.light, light)
    }
}

/// Linear mix of two colours; s = 0 gives the first, s = 1 the second.
pub(super) fn mix(a: Colour, b: Colour, s: f64) -> Colour {
    std::array::from_fn(|i| (f64::from(a[i]) * (1.0 - s) + f64::from(b[i]) * s).round() as u8)
}

/// `#rrggbb`.
fn parse_colour(text: &str) -> Option<Colour> {
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii())?;
    let part = |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok();
    Some([part(0)?, part(1)?, part(2)?])
}

#[cfg(test)]
mod tests {
    use super::parse_colour;

    #[test]
    fn colours_are_read_or_left() {
        assert_eq!(parse_colour("#ff8000"), Some([255, 128, 0]));
        for wrong in ["ff8000", "#ff80", "#zz8000", "#ééé", ""] {
            assert_eq!(parse_colour(wrong), None, "{wrong}");
        }
    }
}
