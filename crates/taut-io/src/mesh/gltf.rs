//! glTF 2.0, as `.glb` or `.gltf`: the triangles of its scene, placed by its nodes. Materials, skins and animations are
//! ignored; compressed meshes are an error.

use super::{Mesh, VertexIndices};
use crate::regular_file;
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3, Vector4};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Component, Path};

/// Largest depth of nested nodes.
const MAX_NODE_DEPTH: usize = 64;
/// Magic number of a `.glb`, and the types of its two chunks.
const MAGIC: &[u8] = b"glTF";
const JSON: &[u8] = b"JSON";
const BINARY: &[u8] = b"BIN\0";

/// Reads either form; referenced files must be in the folder.
pub(super) fn gltf(bytes: &[u8], folder: &Path) -> Result<Mesh, String> {
    let (text, binary) = if bytes.starts_with(MAGIC) { chunks(bytes)? } else { (bytes, None) };
    let whole: Value = serde_json::from_slice(text).map_err(|e| format!("it is not a glTF file: {e}"))?;
    if let Some(needed) = whole["extensionsRequired"].as_array().and_then(|list| list.first()) {
        return Err(format!("it needs the extension {needed}, which is not supported; export the file without it"));
    }
    let mut buffers: Vec<Cow<[u8]>> = Vec::new();
    for buffer in list(&whole, "buffers") {
        buffers.push(match buffer["uri"].as_str() {
            None => Cow::Borrowed(binary.ok_or("its buffer has no data")?),
            Some(uri) => Cow::Owned(named(uri, folder)?),
        });
    }
    let nodes = list(&whole, "nodes");
    let scene = whole["scene"].as_u64().unwrap_or(0);
    let roots: Vec<u64> = match list(&whole, "scenes").get(scene as usize) {
        Some(scene) => indices(&scene["nodes"]),
        None => {
            let inner: BTreeSet<u64> = nodes.iter().flat_map(|n| indices(&n["children"])).collect();
            (0..nodes.len() as u64).filter(|n| !inner.contains(n)).collect()
        }
    };
    let mut reader = GltfReader { whole: &whole, buffers, seen: BTreeSet::new(), found: VertexIndices::default() };
    for root in roots {
        reader.node(root, &Matrix4::identity(), 0)?;
    }
    Ok(reader.found.mesh)
}

/// JSON and binary chunk of a `.glb`.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let short = || "it ends too early".to_string();
    let (mut at, mut text, mut binary) = (12, None, None);
    while at < bytes.len() {
        let head = bytes.get(at..at + 8).ok_or_else(short)?;
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let body = bytes.get(at + 8..at + 8 + length).ok_or_else(short)?;
        match &head[4..] {
            JSON if text.is_none() => text = Some(body),
            BINARY if binary.is_none() => binary = Some(body),
            _ => {}
        }
        at += 8 + length;
    }
    Ok((text.ok_or_else(short)?, binary))
}

/// An embedded buffer, or one in a file of the same folder.
fn named(uri: &str, folder: &Path) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let text = data.split_once(";base64,").ok_or("an embedded buffer must be in base64")?.1;
        return base64(text).ok_or_else(|| "an embedded buffer is not valid base64".to_string());
    }
    let name = decoded(uri).ok_or_else(|| format!("the name `{uri}` of its buffer is not valid text"))?;
    let path = Path::new(&name);
    if !path.components().all(|c| matches!(c, Component::Normal(_))) {
        return Err(format!("its buffer `{uri}` is not in the folder of the file"));
    }
    regular_file::read(&folder.join(path)).map_err(|e| format!("cannot read its buffer `{uri}`: {e}"))
}

/// A name with its escapes (%20 for a blank) resolved.
fn decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.bytes();
    while let Some(b) = rest.next() {
        bytes.push(match b {
            b'%' => {
                let mut digit = || rest.next().and_then(|b| char::from(b).to_digit(16));
                (16 * digit()? + digit()?) as u8
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len() * 3 / 4), 0_u32, 0);
    for letter in text.bytes().filter(|b| *b != b'=') {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        (bits, count) = (bits << 6 | u32::from(six), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn indices(value: &Value) -> Vec<u64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

struct GltfReader<'a> {
    whole: &'a Value,
    buffers: Vec<Cow<'a, [u8]>>,
    /// Nodes that were reached: each belongs to one other at most, or a short file could stand for endless work.
    seen: BTreeSet<u64>,
    found: VertexIndices,
}

impl GltfReader<'_> {
    fn node(&mut self, index: u64, parent: &Matrix4<f64>, depth: usize) -> Result<(), String> {
        let Some(node) = list(self.whole, "nodes").get(index as usize).cloned() else {
            return Err(format!("there is no node {index}"));
        };
        if depth > MAX_NODE_DEPTH {
            return Err(format!("its nodes are nested more than {MAX_NODE_DEPTH} deep"));
        }
        if !self.seen.insert(index) {
            return Err(format!("node {index} is reached twice; nodes must form a tree"));
        }
        let here = parent * placed(&node);
        if let Some(mesh) = node["mesh"].as_u64() {
            let mesh = list(self.whole, "meshes").get(mesh as usize).cloned();
            let mesh = mesh.ok_or_else(|| format!("node {index} refers to a mesh that does not exist"))?;
            // Points and lines are no surface; 4 are triangles, and the rule.
            for part in list(&mesh, "primitives").iter().filter(|p| p["mode"].as_u64().unwrap_or(4) == 4) {
                self.part(part, &here)?;
            }
        }
        indices(&node["children"]).into_iter().try_for_each(|child| self.node(child, &here, depth + 1))
    }

    fn part(&mut self, part: &Value, here: &Matrix4<f64>) -> Result<(), String> {
        let at = part["attributes"]["POSITION"].as_u64().ok_or("a mesh has no positions")?;
        let flat = self.accessor(at, 3)?;
        let points: Vec<[f64; 3]> = flat
            .chunks_exact(3)
            .map(|p| {
                let q = here * Vector4::new(p[0], p[1], p[2], 1.0);
                [q.x, q.y, q.z]
            })
            .collect();
        if points.iter().flatten().any(|x| !x.is_finite()) {
            return Err("a corner is not a number".to_string());
        }
        let order: Vec<usize> = match part["indices"].as_u64() {
            Some(at) => self.accessor(at, 1)?.into_iter().map(|x| x as usize).collect(),
            None => (0..points.len()).collect(),
        };
        for three in order.chunks_exact(3) {
            let corner =
                |k: usize| points.get(three[k]).copied().ok_or("a triangle refers to a vertex that does not exist");
            self.found.triangle([corner(0)?, corner(1)?, corner(2)?]);
        }
        Ok(())
    }

    /// Numbers of an accessor, `width` of them an entry.
    fn accessor(&self, index: u64, width: usize) -> Result<Vec<f64>, String> {
        let refuse = |why: &str| format!("accessor {index}: {why}");
        let accessor = list(self.whole, "accessors").get(index as usize).ok_or_else(|| refuse("it does not exist"))?;
        if accessor.get("sparse").is_some() {
            return Err(refuse("sparse accessors are not supported"));
        }
        let (size, read): (usize, fn(&[u8]) -> f64) = match accessor["componentType"].as_u64() {
            Some(5121) => (1, |b| f64::from(b[0])),
            Some(5123) => (2, |b| f64::from(u16::from_le_bytes([b[0], b[1]]))),
            Some(5125) => (4, |b| f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
            Some(5126) => (4, |b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
            _ => return Err(refuse("its numbers have an unknown type")),
        };
        let view = accessor["bufferView"].as_u64().and_then(|v| list(self.whole, "bufferViews").get(v as usize));
        let view = view.ok_or_else(|| refuse("it has no buffer view"))?;
        let whole = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        let buffer = self.buffers.get(whole(&view["buffer"])).ok_or_else(|| refuse("its buffer is not there"))?;
        let (first, count) =
            (whole(&view["byteOffset"]).saturating_add(whole(&accessor["byteOffset"])), whole(&accessor["count"]));
        let step = view["byteStride"].as_u64().map_or(size * width, |s| s as usize);
        if count > buffer.len() {
            return Err(refuse("it is longer than its buffer"));
        }
        let mut all = Vec::with_capacity(count * width);
        for k in 0..count {
            for i in 0..width {
                let at = first.saturating_add(k.saturating_mul(step)).saturating_add(i * size);
                let bytes = buffer.get(at..at.saturating_add(size)).filter(|b| b.len() == size);
                all.push(read(bytes.ok_or_else(|| refuse("it ends beyond its buffer"))?));
            }
        }
        Ok(all)
    }
}

/// The transform of a node in its parent: a matrix, or scale, rotation and translation.
fn placed(node: &Value) -> Matrix4<f64> {
    let matrix = numbers(&node["matrix"]);
    if matrix.len() == 16 {
        return Matrix4::from_column_slice(&matrix);
    }
    let three = |name: &str, default: f64| match numbers(&node[name]).as_slice() {
        [x, y, z] => Vector3::new(*x, *y, *z),
        _ => Vector3::repeat(default),
    };
    let turn = match numbers(&node["rotation"]).as_slice() {
        // x, y, z, w in the file.
        [x, y, z, w] => UnitQuaternion::from_quaternion(Quaternion::new(*w, *x, *y, *z)),
        _ => UnitQuaternion::identity(),
    };
    Matrix4::new_translation(&three("translation", 0.0))
        * turn.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&three("scale", 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A triangle, scaled by 2, moved by 1 along x, as a whole within its text.
    fn text(buffer: Value, length: usize) -> Value {
        json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
            "nodes": [{ "children": [1], "translation": [1, 0, 0] }, { "mesh": 0, "scale": [2, 2, 2] }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" },
                { "bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR" },
            ],
            "bufferViews": [{ "buffer": 0, "byteLength": 36 }, { "buffer": 0, "byteOffset": 36, "byteLength": 6 }],
            "buffers": [if buffer.is_null() { json!({ "byteLength": length }) } else { json!({ "uri": buffer, "byteLength": length }) }],
        })
    }

    fn buffer() -> Vec<u8> {
        let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        corners.iter().flat_map(|x| x.to_le_bytes()).chain([0_u16, 1, 2].iter().flat_map(|k| k.to_le_bytes())).collect()
    }

    fn binary() -> Vec<u8> {
        let mut text = text(Value::Null, 42).to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut body = buffer();
        body.resize(44, 0);
        let mut all = b"glTF\x02\0\0\0".to_vec();
        all.extend((28 + text.len() as u32 + 44).to_le_bytes());
        all.extend((text.len() as u32).to_le_bytes());
        all.extend(b"JSON");
        all.extend(text);
        all.extend(44_u32.to_le_bytes());
        all.extend(b"BIN\0");
        all.extend(body);
        all
    }

    #[test]
    fn both_forms_give_the_placed_triangle() {
        let expected =
            Mesh { points: vec![[1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [1.0, 2.0, 0.0]], triangles: vec![[0, 1, 2]] };
        assert_eq!(gltf(&binary(), Path::new("")), Ok(expected.clone()));
        // Of the same bytes as base64, by hand for the zeros and as the standard says for the rest.
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let bits: Vec<u8> = buffer().iter().flat_map(|b| (0..8).rev().map(move |k| b >> k & 1)).collect();
        let six = |chunk: &[u8]| (0..6).fold(0, |n, k| n << 1 | chunk.get(k).copied().unwrap_or(0));
        let coded: String = bits.chunks(6).map(|c| char::from(letters[six(c) as usize])).collect();
        let uri = json!(format!("data:application/octet-stream;base64,{coded}"));
        assert_eq!(gltf(text(uri, 42).to_string().as_bytes(), Path::new("")), Ok(expected));
    }

    #[test]
    fn what_is_broken_is_refused() {
        let whole = binary();
        for cut in [5, 15, 40, whole.len() - 30] {
            assert!(gltf(&whole[..cut], Path::new("")).is_err());
        }
        for uri in ["../secret.bin", "/etc/passwd", "data:,x", "data:;base64,*"] {
            assert!(gltf(text(json!(uri), 42).to_string().as_bytes(), Path::new("")).is_err(), "{uri}");
        }
        let mut round = text(Value::Null, 42);
        round["nodes"][1]["children"] = json!([0]);
        round["buffers"] = json!([{ "uri": "data:;base64,AAAA" }]);
        assert!(gltf(round.to_string().as_bytes(), Path::new("")).is_err());
        let packed = json!({ "extensionsRequired": ["KHR_draco_mesh_compression"] });
        assert!(gltf(packed.to_string().as_bytes(), Path::new("")).unwrap_err().contains("draco"));
    }

    #[test]
    fn a_short_file_does_not_stand_for_endless_work() {
        let mut nodes: Vec<Value> = (1..=60).map(|k| serde_json::json!({ "children": [k, k] })).collect();
        nodes.push(serde_json::json!({}));
        let text = serde_json::json!({ "scenes": [{ "nodes": [0] }], "nodes": nodes }).to_string();
        let refused = gltf(text.as_bytes(), Path::new(".")).unwrap_err();
        assert!(refused.contains("reached twice"), "{refused}");
    }

    #[test]
    fn names_of_buffers_may_be_escaped() {
        assert_eq!(decoded("my%20part.bin").as_deref(), Some("my part.bin"));
        assert_eq!(decoded("100%.bin"), None);
    }
}
