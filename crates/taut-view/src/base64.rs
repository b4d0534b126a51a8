//! Base64 of RFC 4648, with padding.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends the encoded bytes.
pub fn encode(bytes: &[u8], out: &mut String) {
    out.reserve(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i)) as usize & 63];
            out.push(if i <= three.len() { char::from(letter) } else { '=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn examples_of_the_standard() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (plain, text) in pairs {
            let mut out = String::new();
            encode(plain.as_bytes(), &mut out);
            assert_eq!(out, text);
        }
        let mut out = String::new();
        encode(&[0xff, 0xfe, 0xfd, 0xfb], &mut out);
        assert_eq!(out, "//79+w==");
    }
}
