//! Archives without compression, as far as `numpy` asks for them: members stored as they are, under 4 GB.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

const LOCAL: [u8; 4] = *b"PK\x03\x04";
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
/// Bytes of these records, names not counted.
const LOCAL_SIZE: usize = 30;
const CENTRAL_SIZE: usize = 46;
const END_SIZE: usize = 22;

/// Writes members one after the other.
pub(crate) struct ZipWriter<W> {
    out: W,
    offset: u64,
    members: u16,
    directory: Vec<u8>,
}

impl<W: Write> ZipWriter<W> {
    pub fn new(out: W) -> ZipWriter<W> {
        ZipWriter { out, offset: 0, members: 0, directory: Vec::new() }
    }

    pub fn store(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let size = u32::try_from(content.len()).map_err(|_| too_large())?;
        let offset = u32::try_from(self.offset).map_err(|_| too_large())?;
        let length = u16::try_from(name.len()).map_err(|_| too_large())?;
        self.members = self.members.checked_add(1).filter(|n| *n < u16::MAX).ok_or_else(too_large)?;
        // What both records share: version 2.0, names in UTF-8, stored, 1 January 1980.
        let mut shared = Vec::with_capacity(26);
        [20, 0x0800, 0, 0, 0x0021].iter().for_each(|x: &u16| shared.extend_from_slice(&x.to_le_bytes()));
        [crc32fast::hash(content), size, size].iter().for_each(|x| shared.extend_from_slice(&x.to_le_bytes()));
        [length, 0].iter().for_each(|x| shared.extend_from_slice(&x.to_le_bytes()));

        self.out.write_all(&LOCAL)?;
        self.out.write_all(&shared)?;
        self.out.write_all(name.as_bytes())?;
        self.out.write_all(content)?;

        self.directory.extend_from_slice(&CENTRAL);
        self.directory.extend_from_slice(&20_u16.to_le_bytes());
        self.directory.extend_from_slice(&shared);
        // No comment, first disk, no attributes.
        self.directory.extend_from_slice(&[0; 10]);
        self.directory.extend_from_slice(&offset.to_le_bytes());
        self.directory.extend_from_slice(name.as_bytes());
        self.offset += (LOCAL_SIZE + name.len() + content.len()) as u64;
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<W> {
        let offset = u32::try_from(self.offset).map_err(|_| too_large())?;
        let size = u32::try_from(self.directory.len()).map_err(|_| too_large())?;
        self.out.write_all(&self.directory)?;
        self.out.write_all(&END)?;
        self.out.write_all(&[0; 4])?;
        self.out.write_all(&self.members.to_le_bytes())?;
        self.out.write_all(&self.members.to_le_bytes())?;
        self.out.write_all(&size.to_le_bytes())?;
        self.out.write_all(&offset.to_le_bytes())?;
        self.out.write_all(&[0; 2])?;
        Ok(self.out)
    }
}

/// Reads members by name.
pub(crate) struct Archive {
    file: File,
    members: Vec<Member>,
}

struct Member {
    name: String,
    crc: u32,
    size: u32,
    offset: u32,
}

impl Archive {
    pub fn open(mut file: File) -> io::Result<Archive> {
        let length = file.seek(SeekFrom::End(0))?;
        let at = length.checked_sub(END_SIZE as u64).ok_or_else(broken)?;
        let end = bytes(&mut file, at, END_SIZE)?;
        if end[..4] != END {
            return Err(broken());
        }
        let (size, offset) = (u32_at(&end, 12), u32_at(&end, 16));
        if u64::from(size) + u64::from(offset) > length {
            return Err(broken());
        }
        let directory = bytes(&mut file, u64::from(offset), size as usize)?;
        let mut members = Vec::new();
        let mut rest = &directory[..];
        while rest.len() >= CENTRAL_SIZE && rest[..4] == CENTRAL {
            let [name, extra, comment] = [28, 30, 32].map(|i| usize::from(u16_at(rest, i)));
            let after = CENTRAL_SIZE + name + extra + comment;
            let text = rest.get(CENTRAL_SIZE..CENTRAL_SIZE + name).ok_or_else(broken)?;
            let name = String::from_utf8(text.to_vec()).map_err(|_| broken())?;
            members.push(Member { name, crc: u32_at(rest, 16), size: u32_at(rest, 24), offset: u32_at(rest, 42) });
            rest = rest.get(after..).ok_or_else(broken)?;
        }
        Ok(Archive { file, members })
    }

    pub fn member(&mut self, name: &str) -> io::Result<Vec<u8>> {
        let found = self.members.iter().find(|m| m.name == name);
        let member = found
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("the archive has no member `{name}`")))?;
        let local = bytes(&mut self.file, u64::from(member.offset), LOCAL_SIZE)?;
        // Stored as it is, or it was written by another program.
        if local[..4] != LOCAL || u16_at(&local, 8) != 0 {
            return Err(broken());
        }
        let skip = u64::from(u16_at(&local, 26)) + u64::from(u16_at(&local, 28));
        let start = u64::from(member.offset) + LOCAL_SIZE as u64 + skip;
        if start + u64::from(member.size) > self.file.metadata()?.len() {
            return Err(broken());
        }
        let content = bytes(&mut self.file, start, member.size as usize)?;
        if crc32fast::hash(&content) == member.crc { Ok(content) } else { Err(broken()) }
    }
}

fn bytes(file: &mut File, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut content = vec![0; length];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut content)?;
    Ok(content)
}

fn u16_at(bytes: &[u8], i: usize) -> u16 {
    u16::from_le_bytes([bytes[i], bytes[i + 1]])
}

fn u32_at(bytes: &[u8], i: usize) -> u32 {
    u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]])
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "too large for an NPZ archive; write Parquet instead")
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the archive is damaged or not of a kind that is read here")
}
