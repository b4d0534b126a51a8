//! Mutations of files, reproducible by their number.

/// Pieces that readers tend to stumble over.
const PIECES: &[&[u8]] = &[
    b"0",
    b"-1",
    b"1e999",
    b"-1e308",
    b"nan",
    b"inf",
    b"99999999999999999999",
    b"1e-320",
    b"\"",
    b"'",
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b"((((((((((((((((",
    b"[[[[[[[[[[[[[[[[",
    b"<",
    b">",
    b"</",
    b"&#x0;",
    b"&amp;",
    b",",
    b"=",
    b".",
    b"..",
    b"/",
    b"\n",
    b"\r\n",
    b"\t",
    b"#",
    b"\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\x80",
    b"\xe2\x82\xac",
    b"\xef\xbb\xbf",
    b" m",
    b"^-128",
    b"null",
    b"true",
    b"{}",
    b"[]",
    b"18446744073709551615",
    b"-9223372036854775808",
];

/// Makes mutations by a linear congruential generator; equal seeds make equal mutations.
pub struct Mutator(u64);

impl Mutator {
    pub fn new(seed: u64) -> Mutator {
        Mutator(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 16
    }

    /// A number below `end`; 0 if that is 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// A short range within a length.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.below(length + 1);
        let most = if self.below(8) == 0 { length - from } else { (length - from).min(24) };
        from..from + self.below(most + 1)
    }

    /// One of the seeds with one to four changes.
    pub fn mutation(&mut self, seeds: &[&[u8]]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].to_vec();
        for _ in 0..=self.below(4) {
            self.change(&mut bytes, seeds);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, seeds: &[&[u8]]) {
        let at = self.below(bytes.len());
        match self.below(10) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
            1 if !bytes.is_empty() => bytes[at] = self.next() as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(self.range(bytes.len()))),
            4 => {
                let piece = bytes[self.range(bytes.len())].to_vec();
                let times = 1 + self.below(4) * self.below(20);
                bytes.splice(at..at, piece.repeat(times));
            }
            5 | 6 => drop(bytes.splice(at..at, PIECES[self.below(PIECES.len())].iter().copied())),
            7 | 8 => {
                let range = self.range(bytes.len());
                drop(bytes.splice(range, PIECES[self.below(PIECES.len())].iter().copied()));
            }
            _ => {
                let other = seeds[self.below(seeds.len())];
                let piece = &other[self.range(other.len())];
                let range = self.range(bytes.len());
                drop(bytes.splice(range, piece.iter().copied()));
            }
        }
    }
}
