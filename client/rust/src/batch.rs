// SPDX-License-Identifier: Apache-2.0
//! Batches of columns: their lengths, and their parts that fit in a frame.

use std::ops::Range;

use crate::error::Error;
use crate::proto::{
    client_frame::Message, Despawn, HandOver, Move, MoveObservers, Observe, Reshape, SetDescription, Spawn, Teleport,
    Unobserve,
};

/// Bytes of a frame that its columns do not use.
const HEAD_BYTES: usize = 4096;
/// The most bytes of a payload.
const PAYLOAD_BYTES: usize = 32;

/// A message with one entry per id.
pub trait Batch: Clone + Into<Message> {
    fn ids(&self) -> &[u32];
    /// The message's columns have one length.
    fn check(&self) -> Result<(), Error>;
    /// The bytes that an entry takes.
    fn row_bytes(&self) -> usize;
    /// Some of the entries.
    fn part(&self, rows: Range<usize>) -> Self;

    /// Parts that fit in a frame, with the index of their first entry.
    fn split(self, frame_bytes_max: usize) -> Vec<(usize, Self)> {
        let count = self.ids().len();
        let most = rows_max(frame_bytes_max, self.row_bytes());
        if count <= most {
            return vec![(0, self)];
        }
        let firsts = (0..count).step_by(most);
        firsts.map(|first| (first, self.part(first..count.min(first + most)))).collect()
    }
}

/// The most rows of so many bytes in a frame.
pub fn rows_max(frame_bytes_max: usize, row_bytes: usize) -> usize {
    (frame_bytes_max.saturating_sub(HEAD_BYTES) / row_bytes.max(1)).max(1)
}

pub fn check_column(name: &str, len: usize, count: usize) -> Result<(), Error> {
    if len == 0 || len == count {
        return Ok(());
    }
    Err(Error::Invalid(format!("{name} has {len} values; must be {count}, one per id")))
}

fn row_bytes<T>(column: &[T]) -> usize {
    if column.is_empty() {
        0
    } else {
        size_of::<T>()
    }
}

fn keep<T>(column: &mut Vec<T>, rows: &Range<usize>) {
    if !column.is_empty() {
        column.truncate(rows.end);
        column.drain(..rows.start);
    }
}

macro_rules! batch {
    ($type:ident, [$($column:ident),*]) => {
        impl Batch for $type {
            fn ids(&self) -> &[u32] {
                &self.id
            }

            fn check(&self) -> Result<(), Error> {
                $(check_column(stringify!($column), self.$column.len(), self.id.len())?;)*
                Ok(())
            }

            fn row_bytes(&self) -> usize {
                4 $(+ row_bytes(&self.$column))*
            }

            fn part(&self, rows: Range<usize>) -> Self {
                let mut part = self.clone();
                keep(&mut part.id, &rows);
                $(keep(&mut part.$column, &rows);)*
                part
            }
        }

        impl From<$type> for Message {
            fn from(message: $type) -> Message {
                Message::$type(message)
            }
        }
    };
}

batch!(Spawn, [x, y, z, half_x, half_y, half_z, shape, category, mask, radius, axis_x, axis_y, axis_z]);
batch!(Move, [x, y, z]);
batch!(Teleport, [x, y, z]);
batch!(Reshape, [half_x, half_y, half_z, shape, category, mask, radius, axis_x, axis_y, axis_z]);
batch!(Despawn, []);
batch!(HandOver, []);
batch!(
    Observe,
    [
        region,
        anchored,
        entity,
        x,
        y,
        z,
        range,
        half_x,
        half_y,
        half_z,
        direction_x,
        direction_y,
        direction_z,
        angle,
        leave_margin,
        mask,
        limit,
        enter_budget,
        team,
        sees_self
    ]
);
batch!(MoveObservers, [x, y, z, direction_x, direction_y, direction_z]);
batch!(Unobserve, []);

impl From<SetDescription> for Message {
    fn from(message: SetDescription) -> Message {
        Message::SetDescription(message)
    }
}

impl Batch for SetDescription {
    fn ids(&self) -> &[u32] {
        &self.id
    }

    fn check(&self) -> Result<(), Error> {
        let count = self.id.len();
        check_column("tag", self.tag.len(), count)?;
        check_column("payload_size", self.payload_size.len(), count)?;
        check_column("visible_range", self.visible_range.len(), count)?;
        check_column("team", self.team.len(), count)?;
        check_column("hidden", self.hidden.len(), count)?;
        let sum = payload_start(&self.payload_size, count);
        if sum != self.payload.len() {
            let bytes = self.payload.len();
            return Err(Error::Invalid(format!("payload has {bytes} bytes; must be {sum}, the sum of payload_size")));
        }
        Ok(())
    }

    fn row_bytes(&self) -> usize {
        4 + row_bytes(&self.tag)
            + row_bytes(&self.payload_size) * (1 + PAYLOAD_BYTES)
            + row_bytes(&self.visible_range)
            + row_bytes(&self.team)
            + row_bytes(&self.hidden)
    }

    fn part(&self, rows: Range<usize>) -> Self {
        let mut part = self.clone();
        let start = payload_start(&self.payload_size, rows.start);
        part.payload = self.payload[start..payload_start(&self.payload_size, rows.end)].to_vec();
        keep(&mut part.id, &rows);
        keep(&mut part.tag, &rows);
        keep(&mut part.payload_size, &rows);
        keep(&mut part.visible_range, &rows);
        keep(&mut part.team, &rows);
        keep(&mut part.hidden, &rows);
        part
    }
}

/// Where the payload of an entry begins.
fn payload_start(sizes: &[u8], entry: usize) -> usize {
    sizes.iter().take(entry).map(|size| usize::from(*size)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_all_entries_once() {
        let count = 1000;
        let whole = SetDescription {
            id: (0..count).collect(),
            tag: (0..u64::from(count)).collect(),
            payload_size: (0..count).map(|id| (id % 5) as u8).collect(),
            payload: (0..count).flat_map(|id| vec![id as u8; id as usize % 5]).collect(),
            ..Default::default()
        };
        whole.check().unwrap();
        let parts = whole.clone().split(HEAD_BYTES + 45 * 300);
        assert_eq!(parts.iter().map(|part| part.0).collect::<Vec<_>>(), [0, 300, 600, 900]);
        let mut again = SetDescription::default();
        for (_, part) in parts {
            part.check().unwrap();
            again.id.extend(part.id);
            again.tag.extend(part.tag);
            again.payload_size.extend(part.payload_size);
            again.payload.extend(part.payload);
        }
        assert_eq!(again, whole);
    }

    #[test]
    fn columns_of_different_lengths_are_refused() {
        let wrong = Move { id: vec![1, 2], x: vec![1.0; 3], y: vec![1.0; 2], ..Default::default() };
        assert_eq!(wrong.check().unwrap_err().to_string(), "x has 3 values; must be 2, one per id");
    }
}
