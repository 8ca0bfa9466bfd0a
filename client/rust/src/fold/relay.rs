// SPDX-License-Identifier: Apache-2.0
//! Reads the relay stream (proto/RELAY.md): each position once per session, in one or two bytes.

/// The bits of a value, by its code.
const WIDTH: [u32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 18, 24];
const GROUP: usize = 16;
const SLOTS_MAX: usize = 1 << 24;
const ZEROS: usize = 4;

/// The bytes are no blob of version 1 of the relay stream for these slots.
#[derive(Debug)]
pub struct Refused;

#[derive(Clone, Copy, Default)]
struct Slot {
    /// The position in steps.
    at: [i32; 3],
    /// The change that was sent last.
    last: [i32; 3],
}

/// The state of a stream.
pub struct Relay {
    k: i32,
    axes: usize,
    slots: Vec<Slot>,
}

struct Bytes<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn byte(&mut self) -> Result<u8, Refused> {
        let byte = *self.data.get(self.at).ok_or(Refused)?;
        self.at += 1;
        Ok(byte)
    }

    fn varint(&mut self) -> Result<usize, Refused> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(value).map(|value| value as usize).map_err(|_| Refused);
            }
        }
        Err(Refused)
    }

    fn take(&mut self, size: usize) -> Result<&'a [u8], Refused> {
        let taken = self.data.get(self.at..).and_then(|rest| rest.get(..size)).ok_or(Refused)?;
        self.at += size;
        Ok(taken)
    }
}

impl Relay {
    /// A stream of positions in steps of 2^-k, on two or three axes, with `count` slots at 0.
    pub fn new(k: i32, axes: usize, count: usize) -> Relay {
        Relay { k, axes, slots: vec![Slot::default(); count] }
    }

    /// Starts a slot at the exact position of an enter or of an exact entry.
    pub fn start(&mut self, slot: usize, position: [f32; 3]) -> Result<(), Refused> {
        if slot >= SLOTS_MAX {
            return Err(Refused);
        }
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, Slot::default());
        }
        let mut started = Slot::default();
        for (at, value) in started.at.iter_mut().zip(position).take(self.axes) {
            let steps = (f64::from(value) * 2f64.powi(self.k)).floor();
            *at = if steps.abs() < f64::from(1 << 30) { steps as i32 } else { 0 };
        }
        self.slots[slot] = started;
        Ok(())
    }

    /// The position of a slot, in steps.
    pub fn steps(&self, slot: usize) -> &[i32] {
        &self.slots[slot].at[..self.axes]
    }

    /// The position of a slot.
    pub fn position(&self, slot: usize) -> [f32; 3] {
        self.slots[slot].at.map(|at| (f64::from(at) * 2f64.powi(-self.k)) as f32)
    }

    /// Applies a blob. Returns the slots that it names, ascending. After an error the state is of no use.
    pub fn read(&mut self, blob: &[u8]) -> Result<Vec<usize>, Refused> {
        let end = blob.len().checked_sub(ZEROS).ok_or(Refused)?;
        if end < 3 || blob[0] & 0x8f != 1 || blob[end..] != [0; ZEROS] {
            return Err(Refused);
        }
        let mut bytes = Bytes { data: &blob[..end], at: 1 };
        let slots = self.named(&mut bytes, blob[0] >> 5 & 3)?;
        if slots.last().is_some_and(|last| *last >= self.slots.len()) {
            return Err(Refused);
        }
        let predicted = blob[0] & 16 != 0;
        for group in slots.chunks(GROUP) {
            self.read_group(&mut bytes, group, predicted)?;
        }
        if bytes.at != end {
            return Err(Refused);
        }
        Ok(slots)
    }

    fn named(&self, bytes: &mut Bytes, kind: u8) -> Result<Vec<usize>, Refused> {
        let mut slot = bytes.varint()?;
        let count = bytes.varint()?;
        let mut slots = Vec::new();
        match kind {
            0 if slot + count > self.slots.len() => return Err(Refused),
            0 => slots.extend(slot..slot + count),
            1 => add_bitmap(&mut slots, slot, bytes.take(count)?),
            2 => {
                for _ in 0..count {
                    slot += bytes.varint()?;
                    slots.push(slot);
                    slot += 1;
                }
            }
            _ => {
                for _ in 0..count {
                    slot += 8 * bytes.varint()?;
                    let size = bytes.varint()?;
                    add_bitmap(&mut slots, slot, bytes.take(size)?);
                    slot += 8 * size;
                }
            }
        }
        Ok(slots)
    }

    fn read_group(&mut self, bytes: &mut Bytes, group: &[usize], predicted: bool) -> Result<(), Refused> {
        let first = bytes.byte()?;
        let mut codes = [first & 15, first >> 4, 0];
        if self.axes == 3 {
            codes[2] = bytes.byte()?;
            if codes[2] >> 4 != 0 {
                return Err(Refused);
            }
        }
        for (axis, code) in codes.iter().enumerate().take(self.axes) {
            let width = WIDTH[usize::from(*code)];
            let values = bytes.take((group.len() * width as usize).div_ceil(8))?;
            let (mut held, mut bits, mut at) = (0u64, 0, 0);
            for slot in group {
                while bits < width {
                    held |= u64::from(values[at]) << bits;
                    bits += 8;
                    at += 1;
                }
                let value = held as u32 & ((1u32 << width) - 1);
                held >>= width;
                bits -= width;
                let slot = &mut self.slots[*slot];
                let change = (value >> 1) as i32 ^ -((value & 1) as i32);
                slot.last[axis] = change.wrapping_add(if predicted { slot.last[axis] } else { 0 });
                slot.at[axis] = slot.at[axis].wrapping_add(slot.last[axis]);
            }
        }
        Ok(())
    }
}

fn add_bitmap(slots: &mut Vec<usize>, first: usize, bitmap: &[u8]) {
    for (i, byte) in bitmap.iter().enumerate() {
        slots.extend((0..8).filter(|bit| byte >> bit & 1 != 0).map(|bit| first + 8 * i + bit));
    }
}
