//! Triangles from files: STL, as text or binary, OBJ, and glTF.
//!
//! Corners with equal coordinates become one point, so that triangles which share an edge share its points. Of an OBJ file,
//! vertices and faces are read; larger faces are split into fans. Everything else is ignored.

mod gltf;
mod solid;

pub use solid::SolidIntegrals;

use crate::regular_file;
use std::collections::HashMap;
use std::path::Path;

/// A surface of triangles, in the unit of length of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners.
    pub points: Vec<[f64; 3]>,
    /// Three of them each.
    pub triangles: Vec<[usize; 3]>,
}

/// Reads a file; its extension gives the format.
///
/// # Errors
/// A description of the error, with the line or the triangle.
///
/// # Examples
///
/// ```
/// let file = std::env::temp_dir().join(format!("taut-example-{}.obj", std::process::id()));
/// std::fs::write(&file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")?;
/// let corner = taut_io::mesh::read(&file)?;
/// assert!((corner.solid()?.volume - 1.0 / 6.0).abs() < 1e-15);
/// std::fs::remove_file(&file)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: &Path) -> Result<Mesh, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = regular_file::read(path).map_err(|e| format!("cannot read `{name}`: {e}"))?;
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let found = match ending.as_str() {
        "stl" => stl(&bytes),
        "obj" => obj(&text(&bytes)?),
        "gltf" | "glb" => gltf::gltf(&bytes, path.parent().unwrap_or(Path::new(""))),
        _ => Err("its type is not .stl, .obj, .gltf or .glb".to_string()),
    };
    let mesh = found.map_err(|why| format!("`{name}`: {why}"))?;
    match mesh.triangles.is_empty() {
        true => Err(format!("`{name}` contains no triangles")),
        false => Ok(mesh),
    }
}

fn text(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec())
        .map_err(|e| format!("it is not UTF-8 text (byte {})", e.utf8_error().valid_up_to()))
}

/// Points by their bit patterns.
#[derive(Default)]
struct VertexIndices {
    mesh: Mesh,
    known: HashMap<[u64; 3], usize>,
}

impl VertexIndices {
    fn add(&mut self, p: [f64; 3]) -> usize {
        // Minus zero is zero.
        let key = p.map(|x| (x + 0.0).to_bits());
        *self.known.entry(key).or_insert_with(|| {
            self.mesh.points.push(p);
            self.mesh.points.len() - 1
        })
    }

    /// Adds a triangle; triangles without area are ignored.
    fn triangle(&mut self, corners: [[f64; 3]; 3]) {
        let t = corners.map(|p| self.add(p));
        if t[0] != t[1] && t[1] != t[2] && t[0] != t[2] {
            self.mesh.triangles.push(t);
        }
    }
}

/// A binary file contains the number of triangles, which must agree with its length; some binary files also begin with `solid`.
fn stl(bytes: &[u8]) -> Result<Mesh, String> {
    const HEADER: usize = 84;
    const TRIANGLE: usize = 50;
    let count = bytes.get(80..HEADER).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    if let Some(count) = count
        && bytes.len() as u64 == HEADER as u64 + TRIANGLE as u64 * u64::from(count)
    {
        let mut found = VertexIndices::default();
        for (i, one) in bytes[HEADER..].chunks_exact(TRIANGLE).enumerate() {
            let number = |k: usize| one[4 * k..4 * k + 4].try_into().map_or(f32::NAN, f32::from_le_bytes);
            let corner = |j: usize| [0, 1, 2].map(|k| f64::from(number(3 + 3 * j + k)));
            let corners = [corner(0), corner(1), corner(2)];
            if corners.iter().flatten().any(|x| !x.is_finite()) {
                return Err(format!("triangle {} has a corner that is not a number", i + 1));
            }
            found.triangle(corners);
        }
        return Ok(found.mesh);
    }
    if !bytes.trim_ascii_start().starts_with(b"solid") {
        let says = count.map_or("it is shorter than its header".to_string(), |n| {
            format!(
                "its header gives {n} triangles, but it has {} bytes instead of {}",
                bytes.len(),
                84 + 50 * u64::from(n)
            )
        });
        return Err(format!("it is not an STL file: {says}"));
    }
    stl_text(&text(bytes)?)
}

fn stl_text(text: &str) -> Result<Mesh, String> {
    let mut found = VertexIndices::default();
    let mut corners: Vec<[f64; 3]> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("vertex") => corners.push(numbers(words, i)?),
            Some("endfacet") => {
                let Ok(triangle) = <[[f64; 3]; 3]>::try_from(std::mem::take(&mut corners)) else {
                    return Err(format!("line {}: a facet must have three vertices", i + 1));
                };
                found.triangle(triangle);
            }
            Some("solid" | "endsolid" | "facet" | "outer" | "endloop") | None => {}
            Some(other) => return Err(format!("line {}: `{}` is not an STL keyword", i + 1, clip(other))),
        }
    }
    match corners.is_empty() {
        true => Ok(found.mesh),
        false => Err("it ends within a facet".to_string()),
    }
}

fn obj(text: &str) -> Result<Mesh, String> {
    let (mut found, mut vertices) = (VertexIndices::default(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => vertices.push(numbers(words, i)?),
            Some("f") => {
                let face = words.map(|word| vertex(word, &vertices, i)).collect::<Result<Vec<_>, _>>()?;
                let [first, rest @ ..] = face.as_slice() else { continue };
                if rest.len() < 2 {
                    return Err(format!("line {}: a face must have three corners or more", i + 1));
                }
                rest.windows(2).for_each(|pair| found.triangle([*first, pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    Ok(found.mesh)
}

/// `7`, `7/1`, `7//3`, or −1 for the last so far.
fn vertex(word: &str, vertices: &[[f64; 3]], line: usize) -> Result<[f64; 3], String> {
    let number: Option<i64> = word.split('/').next().and_then(|n| n.parse().ok());
    let index = number.and_then(|n| match n {
        1.. => usize::try_from(n - 1).ok(),
        _ => vertices.len().checked_sub(usize::try_from(n.unsigned_abs()).ok()?).filter(|_| n < 0),
    });
    let point = index.and_then(|k| vertices.get(k)).copied();
    point.ok_or_else(|| {
        format!("line {}: there is no vertex `{}`; {} were given so far", line + 1, clip(word), vertices.len())
    })
}

fn numbers<'a>(words: impl Iterator<Item = &'a str>, line: usize) -> Result<[f64; 3], String> {
    let found: Vec<f64> = words.take(3).filter_map(|w| w.parse().ok()).filter(|x: &f64| x.is_finite()).collect();
    <[f64; 3]>::try_from(found).map_err(|_| format!("line {}: a vertex must have three finite numbers", line + 1))
}

fn clip(word: &str) -> String {
    word.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
        facet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex -0 1 0\nendloop\nendfacet\nendsolid two\n";

    fn binary(count: u32, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = vec![b's'; 80];
        bytes.extend(count.to_le_bytes());
        for t in triangles {
            bytes.extend([0u8; 12]);
            bytes.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0, 0]);
        }
        bytes
    }

    #[test]
    fn a_square_three_ways() {
        let expected = Mesh {
            points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2], [1, 3, 2]],
        };
        assert_eq!(stl(TEXT.as_bytes()), Ok(expected.clone()));
        let (a, b, c, d) = ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]);
        assert_eq!(stl(&binary(2, &[[a, b, c], [b, d, c]])), Ok(expected.clone()));
        let obj = obj("# square\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\nv 1 1 0\nf 2 -1 3\n");
        assert_eq!(obj, Ok(expected));
        let fan = super::obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n").map(|m| m.triangles);
        assert_eq!(fan, Ok(vec![[0, 1, 2], [0, 2, 3]]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let said = |e: Result<Mesh, String>| e.unwrap_err();
        assert!(said(stl(b"garbage")).contains("shorter than its header"));
        assert!(said(stl(&binary(3, &[[[0.0; 3]; 3]]))).contains("gives 3 triangles"));
        assert!(said(stl(&binary(1, &[[[f32::NAN; 3]; 3]]))).contains("triangle 1"));
        assert!(said(stl(TEXT.replace("1 0 0", "1 x 0").as_bytes())).contains("line 5: a vertex must have three"));
        assert!(said(stl(TEXT.replace("vertex 1 1 0\n", "").as_bytes())).contains("line 14: a facet must have three"));
        assert!(said(stl(b"solid\nvertex 0 0 0\n")).contains("within a facet"));
        assert!(said(stl(b"solid\nvertices\n")).contains("`vertices` is not an STL keyword"));
        assert!(said(obj("v 0 0 0\nf 1 2 3\n")).contains("line 2: there is no vertex `2`; 1 were"));
        assert!(said(obj("v 0 0 0\nf 0 1 1\n")).contains("no vertex `0`"));
        assert!(said(obj("v 0 0\n")).contains("line 1"));
        assert!(said(obj("v 0 0 0\nf 1 1\n")).contains("three corners"));
        assert_eq!(super::obj("").map(|m| m.triangles.len()), Ok(0));
    }
}
