//! Sorted tables on disk: keys ascending, each with a number; read from front to back, or looked up.
//!
//! ```text
//! header   magic, words of a key
//! blocks   256 entries each: the first key is in the index, the others as differences; numbers of seven bits a byte
//! index    for each block its first key, its place and its checksum
//! trailer  entries, blocks, place of the index, its checksum, magic
//! ```
//!
//! The checksum of the index covers those of all blocks, so whoever knows it knows the whole file. A block is
//! checked whenever it is read. Files are read by position and not mapped: mapped bytes can change underneath, and the
//! process dies of a signal when somebody cuts the file. Only the index is in memory: some 24 bytes for 256 entries.

use crate::error::{Error, Result};
use crate::folder::Disk;
use crate::packing::Key;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAGIC: [u8; 8] = *b"LUDEXTAB";
const HEADER: u64 = 16;
const TRAILER: usize = 40;

/// Entries of a block.
const BLOCK: usize = 256;

/// Bytes of an entry at most: a difference and a number.
const MOST_ENTRY: usize = 19 * 16 + 19;

/// The checksum of all files here.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    ludex_logic::endgame::file::checksum(bytes, 0x5EED)
}

/// What identifies a finished table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The file in the folder.
    pub file: String,
    /// How many entries there are.
    pub entries: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// The checksum of the index.
    pub checksum: u64,
}

pub(crate) fn write_number(out: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn read_number(bytes: &[u8], at: &mut usize) -> Option<u128> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 0x80 {
        return Some(u128::from(first));
    }
    let mut low = u64::from(first & 0x7F);
    let mut shift = 7;
    while shift < 63 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        low |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte < 0x80 {
            return Some(u128::from(low));
        }
    }
    let mut number = u128::from(low);
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        if shift > 126 || (shift == 126 && byte > 3) {
            return None;
        }
        number |= u128::from(byte & 0x7F) << shift;
        shift += 7;
        if byte < 0x80 {
            return Some(number);
        }
    }
}

/// The difference of two keys; the words as far as they are needed, the least significant first.
pub(crate) fn write_difference<const N: usize>(out: &mut Vec<u8>, from: &Key<N>, to: &Key<N>) {
    let mut words = [0; N];
    let mut borrow = false;
    for at in (0..N).rev() {
        let (first, one) = to[at].overflowing_sub(from[at]);
        let (second, two) = first.overflowing_sub(u64::from(borrow));
        (words[at], borrow) = (second, one || two);
    }
    if N == 1 {
        return write_number(out, u128::from(words[0]));
    }
    let used = words.iter().position(|word| *word != 0).map_or(1, |at| N - at);
    out.push(used as u8);
    words.iter().rev().take(used).for_each(|word| write_number(out, u128::from(*word)));
}

pub(crate) fn add_difference<const N: usize>(bytes: &[u8], at: &mut usize, key: &mut Key<N>) -> Option<()> {
    let used = if N == 1 {
        1
    } else {
        let used = usize::from(*bytes.get(*at)?);
        *at += 1;
        used
    };
    if used > N {
        return None;
    }
    let mut carry = false;
    for place in 0..N {
        let word = if place < used { u64::try_from(read_number(bytes, at)?).ok()? } else { 0 };
        let to = &mut key[N - 1 - place];
        let (first, one) = to.overflowing_add(word);
        let (second, two) = first.overflowing_add(u64::from(carry));
        (*to, carry) = (second, one || two);
    }
    if carry { None } else { Some(()) }
}

/// Writes a table.
pub struct Writer<const N: usize> {
    path: PathBuf,
    file: BufWriter<File>,
    disk: Arc<Disk>,
    block: Vec<u8>,
    in_block: usize,
    last: Key<N>,
    offset: u64,
    entries: u64,
    index: Vec<u8>,
    blocks: u64,
}

impl<const N: usize> Writer<N> {
    /// A new file, in place of an old one of that name.
    pub fn create(path: &Path, disk: &Arc<Disk>) -> Result<Writer<N>> {
        let file = File::create(path).map_err(Error::io(path))?;
        let mut file = BufWriter::with_capacity(1 << 18, file);
        let mut header = MAGIC.to_vec();
        header.extend((N as u64).to_le_bytes());
        file.write_all(&header).map_err(Error::io(path))?;
        disk.add(HEADER)?;
        Ok(Writer {
            path: path.to_path_buf(),
            file,
            disk: disk.clone(),
            block: Vec::with_capacity(4096),
            in_block: 0,
            last: [0; N],
            offset: HEADER,
            entries: 0,
            index: Vec::new(),
            blocks: 0,
        })
    }

    /// Adds an entry; keys must ascend.
    pub fn push(&mut self, key: &Key<N>, number: u128) -> Result<()> {
        if self.in_block == 0 {
            key.iter().for_each(|word| self.index.extend(word.to_le_bytes()));
        } else {
            debug_assert!(self.last < *key);
            write_difference(&mut self.block, &self.last, key);
        }
        write_number(&mut self.block, number);
        self.last = *key;
        self.entries += 1;
        self.in_block += 1;
        if self.in_block == BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.in_block == 0 {
            return Ok(());
        }
        self.index.extend(self.offset.to_le_bytes());
        self.index.extend(checksum(&self.block).to_le_bytes());
        self.blocks += 1;
        self.disk.add(self.block.len() as u64)?;
        self.file.write_all(&self.block).map_err(Error::io(&self.path))?;
        self.offset += self.block.len() as u64;
        self.block.clear();
        self.in_block = 0;
        Ok(())
    }

    /// Writes the index and has all of it on disk before it returns.
    pub fn finish(mut self) -> Result<Name> {
        self.flush()?;
        let sum = checksum(&self.index);
        let mut trailer = Vec::new();
        for number in [self.entries, self.blocks, self.offset, sum] {
            trailer.extend(number.to_le_bytes());
        }
        trailer.extend(MAGIC);
        let bytes = self.offset + (self.index.len() + trailer.len()) as u64;
        self.disk.add((self.index.len() + trailer.len()) as u64)?;
        let written = self.file.write_all(&self.index).and_then(|()| self.file.write_all(&trailer));
        written.map_err(Error::io(&self.path))?;
        let file =
            self.file.into_inner().map_err(|error| Error::Io(self.path.clone(), error.into_error()))?;
        file.sync_all().map_err(Error::io(&self.path))?;
        let file = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Name { file, entries: self.entries, bytes, checksum: sum })
    }
}

/// A table that was written, open for reading.
#[derive(Debug)]
pub struct Table<const N: usize> {
    path: PathBuf,
    file: File,
    entries: u64,
    checksum: u64,
    first: Vec<Key<N>>,
    /// Where each block begins; one more at the end.
    offsets: Vec<u64>,
    sums: Vec<u64>,
}

/// Reads at a place; the file has no position that threads could fight over.
fn read_at(file: &File, bytes: &mut [u8], place: u64) -> std::io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, bytes, place);
    #[cfg(not(unix))]
    {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = file.try_clone()?;
        file.seek(SeekFrom::Start(place))?;
        file.read_exact(bytes)
    }
}

impl<const N: usize> Table<N> {
    /// Opens a table and reads its index.
    pub fn open(path: &Path) -> Result<Table<N>> {
        let damaged = |what| Error::Damaged(path.to_path_buf(), what);
        let file = File::open(path).map_err(Error::io(path))?;
        let length = file.metadata().map_err(Error::io(path))?.len();
        if length < HEADER + TRAILER as u64 {
            return Err(damaged("it is cut short"));
        }
        let mut header = [0; HEADER as usize];
        let mut trailer = [0; TRAILER];
        read_at(&file, &mut header, 0).map_err(Error::io(path))?;
        read_at(&file, &mut trailer, length - TRAILER as u64).map_err(Error::io(path))?;
        if header[..8] != MAGIC || trailer[32..] != MAGIC {
            return Err(damaged("it is no table, or cut short"));
        }
        let number = |bytes: &[u8], at: usize| {
            bytes
                .get(at * 8..)
                .and_then(|rest| rest.first_chunk())
                .map_or(0, |word| u64::from_le_bytes(*word))
        };
        if number(&header, 1) != N as u64 {
            return Err(damaged("its keys have another width"));
        }
        let [entries, blocks, place, sum] = [0, 1, 2, 3].map(|at| number(&trailer, at));
        let width = N as u64 + 2;
        let fits = blocks.checked_mul(width * 8).and_then(|index| index.checked_add(place));
        if fits != Some(length - TRAILER as u64) || place < HEADER || entries.div_ceil(BLOCK as u64) != blocks
        {
            return Err(damaged("its length does not match"));
        }
        let mut index = vec![0; (blocks * width * 8) as usize];
        read_at(&file, &mut index, place).map_err(Error::io(path))?;
        if checksum(&index) != sum {
            return Err(damaged("its index does not match its checksum"));
        }
        let width = width as usize;
        let mut first = Vec::with_capacity(blocks as usize);
        let mut offsets = Vec::with_capacity(blocks as usize + 1);
        let mut sums = Vec::with_capacity(blocks as usize);
        for block in 0..blocks as usize {
            let mut key = [0; N];
            key.iter_mut().enumerate().for_each(|(at, word)| *word = number(&index, block * width + at));
            first.push(key);
            offsets.push(number(&index, block * width + N));
            sums.push(number(&index, block * width + N + 1));
        }
        offsets.push(place);
        let long = offsets.windows(2).any(|pair| {
            pair[1].checked_sub(pair[0]).is_none_or(|bytes| bytes == 0 || bytes > (BLOCK * MOST_ENTRY) as u64)
        });
        if long || offsets[0] != HEADER {
            return Err(damaged("its blocks do not follow each other"));
        }
        Ok(Table { path: path.to_path_buf(), file, entries, checksum: sum, first, offsets, sums })
    }

    /// Opens the table of that name, which must be the one that was written.
    pub fn open_named(folder: &Path, name: &Name) -> Result<Table<N>> {
        let path = folder.join(&name.file);
        let table = Table::open(&path)?;
        if table.checksum != name.checksum || table.entries != name.entries {
            return Err(Error::Damaged(path, "it is not the file that the manifest names"));
        }
        Ok(table)
    }

    /// Bytes of the index in memory.
    pub fn memory(&self) -> usize {
        self.first.len() * (N + 2) * 8
    }

    fn load(&self, blocks: std::ops::Range<usize>, bytes: &mut Vec<u8>) -> Result<()> {
        let (from, to) = (self.offsets[blocks.start], self.offsets[blocks.end]);
        bytes.resize((to - from) as usize, 0);
        read_at(&self.file, bytes, from).map_err(Error::io(&self.path))?;
        for block in blocks {
            let (start, end) = (self.offsets[block] - from, self.offsets[block + 1] - from);
            if checksum(&bytes[start as usize..end as usize]) != self.sums[block] {
                return Err(Error::Damaged(self.path.clone(), "a block does not match its checksum"));
            }
        }
        Ok(())
    }

    /// The number of a key, if it is there. `bytes` is room for a block.
    pub fn find(&self, key: &Key<N>, bytes: &mut Vec<u8>) -> Result<Option<u128>> {
        let block = self.first.partition_point(|first| first <= key);
        let Some(block) = block.checked_sub(1) else { return Ok(None) };
        self.load(block..block + 1, bytes)?;
        let damaged = || Error::Damaged(self.path.clone(), "a block does not read");
        let mut here = self.first[block];
        let mut at = 0;
        loop {
            let number = read_number(bytes, &mut at).ok_or_else(damaged)?;
            if here >= *key {
                return Ok((here == *key).then_some(number));
            }
            if at == bytes.len() {
                return Ok(None);
            }
            add_difference(bytes, &mut at, &mut here).ok_or_else(damaged)?;
        }
    }

    /// Reads from the front.
    pub fn scan(&self) -> Scan<'_, N> {
        Scan { table: self, next: 0, loaded: 0..0, bytes: Vec::new(), at: 0, end: 0, key: [0; N], read: 0 }
    }

    /// Reads every block.
    pub fn check(&self) -> Result<()> {
        let mut scan = self.scan();
        let mut entries = 0;
        while scan.next()?.is_some() {
            entries += 1;
        }
        if entries == self.entries {
            Ok(())
        } else {
            Err(Error::Damaged(self.path.clone(), "entries are missing"))
        }
    }
}

/// Blocks that are read at a time.
const BLOCKS_A_READ: usize = 64;

/// A table being read from front to back.
#[derive(Debug)]
pub struct Scan<'t, const N: usize> {
    table: &'t Table<N>,
    /// The block after the one that is read.
    next: usize,
    loaded: std::ops::Range<usize>,
    bytes: Vec<u8>,
    at: usize,
    end: usize,
    key: Key<N>,
    /// Entries of the block that were read.
    read: usize,
}

impl<const N: usize> Scan<'_, N> {
    #[cold]
    fn begin(&mut self) -> Result<bool> {
        let blocks = self.table.first.len();
        if self.next == blocks {
            return Ok(false);
        }
        if !self.loaded.contains(&self.next) {
            self.loaded = self.next..(self.next + BLOCKS_A_READ).min(blocks);
            self.table.load(self.loaded.clone(), &mut self.bytes)?;
        }
        let base = self.table.offsets[self.loaded.start];
        self.at = (self.table.offsets[self.next] - base) as usize;
        self.end = (self.table.offsets[self.next + 1] - base) as usize;
        self.key = self.table.first[self.next];
        self.next += 1;
        self.read = 0;
        Ok(true)
    }

    fn damaged(&self) -> Error {
        Error::Damaged(self.table.path.clone(), "a block does not read")
    }

    /// The next entry.
    #[allow(clippy::should_implement_trait, reason = "a file can fail, which iterators cannot say")]
    pub fn next(&mut self) -> Result<Option<(Key<N>, u128)>> {
        if self.at == self.end {
            if !self.begin()? {
                return Ok(None);
            }
        } else {
            let mut key = self.key;
            let read = add_difference(&self.bytes[..self.end], &mut self.at, &mut key);
            read.ok_or_else(|| self.damaged())?;
            self.key = key;
        }
        let number = read_number(&self.bytes[..self.end], &mut self.at).ok_or_else(|| self.damaged())?;
        self.read += 1;
        Ok(Some((self.key, number)))
    }

    /// Which entry of the table the last one was, counted from zero.
    pub fn place(&self) -> u64 {
        ((self.next.saturating_sub(1)) * BLOCK + self.read.saturating_sub(1)) as u64
    }

    /// Goes on to the block that a key could be in, if it is further on.
    pub fn skip_to(&mut self, key: &Key<N>) {
        let first = &self.table.first;
        if first.get(self.next).is_some_and(|next| next <= key) {
            let block = self.next + first[self.next..].partition_point(|first| first <= key) - 1;
            self.next = block;
            (self.at, self.end) = (0, 0);
        }
    }
}

/// Several tables read as one, the numbers of equal keys put together.
pub struct Merge<'t, const N: usize> {
    scans: Vec<Scan<'t, N>>,
    heads: Vec<Option<(Key<N>, u128)>>,
}

impl<'t, const N: usize> Merge<'t, N> {
    /// Reads these tables.
    pub fn new(tables: impl IntoIterator<Item = &'t Table<N>>) -> Result<Merge<'t, N>> {
        let mut scans: Vec<Scan<'t, N>> = tables.into_iter().map(Table::scan).collect();
        let heads = scans.iter_mut().map(Scan::next).collect::<Result<_>>()?;
        Ok(Merge { scans, heads })
    }

    /// The least key that is left; its numbers are added, where that overflows it is an error.
    #[allow(clippy::should_implement_trait, reason = "a file can fail, which iterators cannot say")]
    pub fn next(&mut self) -> Result<Option<(Key<N>, u128)>> {
        let Some(least) = self.heads.iter().flatten().map(|(key, _)| *key).min() else { return Ok(None) };
        let mut sum: u128 = 0;
        for (scan, head) in self.scans.iter_mut().zip(&mut self.heads) {
            if let Some((key, number)) = head
                && *key == least
            {
                sum = sum.checked_add(*number).ok_or(Error::TooMany("lines of play"))?;
                *head = scan.next()?;
            }
        }
        Ok(Some((least, sum)))
    }
}
