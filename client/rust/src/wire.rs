// SPDX-License-Identifier: Apache-2.0
//! Frames: encodes ClientFrames, cuts a connection's bytes into ServerFrames, and decodes those.

use std::ops::Range;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use prost::encoding::{encode_varint, encoded_len_varint};
use prost::Message as _;

use crate::proto::{client_frame::Message, ServerFrame};

/// The most bytes of a frame of the server.
const FRAME_BYTES_MAX: usize = 2 << 20;
/// The most bytes of the length of a frame.
const LENGTH_BYTES_MAX: usize = 5;
/// ClientFrame.confirm.
const CONFIRM: u32 = 31;
const MOVE_ROSTER: u32 = 30;

/// The bytes are not a frame of this protocol.
#[derive(Debug)]
pub struct Malformed(pub String);

/// A frame behind its length.
pub fn encode(seq: u64, message: &Message, confirm: bool) -> Bytes {
    let confirm_bytes = if confirm { 3 } else { 0 };
    let seq_bytes = if seq > 0 { 1 + encoded_len_varint(seq) } else { 0 };
    let size = seq_bytes + message.encoded_len() + confirm_bytes;
    let mut frame = BytesMut::with_capacity(LENGTH_BYTES_MAX + size);
    encode_varint(size as u64, &mut frame);
    put_seq(seq, &mut frame);
    // Fields go by their numbers.
    let confirm_first = matches!(message, Message::MoveRooms(_) | Message::ListSessions(_) | Message::Pong(_));
    if confirm && confirm_first {
        put_confirm(&mut frame);
    }
    message.encode(&mut frame);
    if confirm && !confirm_first {
        put_confirm(&mut frame);
    }
    frame.freeze()
}

fn put_seq(seq: u64, frame: &mut BytesMut) {
    if seq > 0 {
        frame.put_u8(1 << 3);
        encode_varint(seq, frame);
    }
}

fn put_confirm(frame: &mut BytesMut) {
    encode_varint(u64::from(CONFIRM << 3), frame);
    frame.put_u8(1);
}

/// A MoveRoster frame of borrowed columns, and where its columns are in it.
pub fn encode_move_roster(seq: u64, room: u64, roster: u32, columns: &[&[f32]]) -> (Bytes, Vec<Range<usize>>) {
    let column_len = |column: &[f32]| 1 + encoded_len_varint(4 * column.len() as u64) + 4 * column.len();
    let inner = 1
        + encoded_len_varint(room)
        + if roster > 0 { 1 + encoded_len_varint(roster.into()) } else { 0 }
        + columns.iter().map(|column| column_len(column)).sum::<usize>();
    let seq_bytes = if seq > 0 { 1 + encoded_len_varint(seq) } else { 0 };
    let size = seq_bytes + 2 + encoded_len_varint(inner as u64) + inner;
    let mut frame = BytesMut::with_capacity(LENGTH_BYTES_MAX + size);
    encode_varint(size as u64, &mut frame);
    put_seq(seq, &mut frame);
    encode_varint(u64::from(MOVE_ROSTER << 3 | 2), &mut frame);
    encode_varint(inner as u64, &mut frame);
    frame.put_u8(1 << 3);
    encode_varint(room, &mut frame);
    if roster > 0 {
        frame.put_u8(2 << 3);
        encode_varint(roster.into(), &mut frame);
    }
    let mut places = Vec::with_capacity(columns.len());
    for (axis, column) in columns.iter().enumerate() {
        frame.put_u8((4 + axis as u8) << 3 | 2);
        encode_varint(4 * column.len() as u64, &mut frame);
        let start = frame.len();
        frame.put_bytes(0, 4 * column.len());
        write_floats(column, &mut frame[start..]);
        places.push(start..frame.len());
    }
    (frame.freeze(), places)
}

fn write_floats(column: &[f32], bytes: &mut [u8]) {
    for (place, value) in bytes.chunks_exact_mut(4).zip(column) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}

/// The floats of a column in a frame.
pub fn read_floats(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.chunks_exact(4).map(|each| f32::from_le_bytes([each[0], each[1], each[2], each[3]]))
}

/// A ServerFrame without its length. Messages of a later protocol are None.
pub fn decode(bytes: &[u8]) -> Result<ServerFrame, Malformed> {
    ServerFrame::decode(bytes).map_err(|error| Malformed(error.to_string()))
}

/// The next whole frame of the bytes, without its length.
pub fn split_frame(bytes: &mut BytesMut) -> Result<Option<BytesMut>, Malformed> {
    let (mut size, mut at) = (0usize, 0);
    loop {
        let Some(byte) = bytes.get(at) else { return Ok(None) };
        size |= usize::from(byte & 0x7f) << (7 * at);
        at += 1;
        if *byte < 0x80 {
            break;
        }
        if at == LENGTH_BYTES_MAX {
            return Err(Malformed(format!("the length of a frame has more than {LENGTH_BYTES_MAX} bytes")));
        }
    }
    if size > FRAME_BYTES_MAX {
        return Err(Malformed(format!("a frame has {size} bytes; must be at most {FRAME_BYTES_MAX}")));
    }
    if bytes.len() < at + size {
        return Ok(None);
    }
    bytes.advance(at);
    Ok(Some(bytes.split_to(size)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{client_frame, ClientFrame, MoveRoster};

    #[test]
    fn move_roster_of_borrowed_columns_is_the_generated_one() {
        for (seq, room, roster) in [(0, 300, 0), (200, 1 << 50, 3)] {
            let (x, y): (Vec<f32>, Vec<f32>) = ((0..100).map(|i| i as f32).collect(), vec![-1.5; 100]);
            let (frame, places) = encode_move_roster(seq, room, roster, &[&x, &y]);
            let message = MoveRoster { room, roster, x: x.clone(), y: y.clone(), ..Default::default() };
            let message = client_frame::Message::MoveRoster(message);
            assert_eq!(frame, encode(seq, &message, false));
            assert_eq!(read_floats(&frame[places[0].clone()]).collect::<Vec<_>>(), x);
            assert_eq!(read_floats(&frame[places[1].clone()]).collect::<Vec<_>>(), y);
            let mut bytes = BytesMut::from(&frame[..]);
            let whole = split_frame(&mut bytes).unwrap().unwrap();
            assert_eq!(ClientFrame::decode(whole).unwrap().message, Some(message));
        }
    }

    #[test]
    fn frame_in_pieces_is_cut_at_its_length() {
        let frame = encode(7, &client_frame::Message::Ping(crate::proto::Ping { data: 5 }), false);
        let mut bytes = BytesMut::new();
        for byte in frame.iter().chain(&frame[..3]).take(frame.len() - 1) {
            bytes.put_u8(*byte);
            assert!(split_frame(&mut bytes).unwrap().is_none());
        }
        bytes.put_u8(frame[frame.len() - 1]);
        assert_eq!(split_frame(&mut bytes).unwrap().unwrap(), frame[1..]);
        assert!(bytes.is_empty());
    }

    #[test]
    fn frame_that_is_too_long_is_refused() {
        let mut bytes = BytesMut::from(&[0xff, 0xff, 0xff, 0x7f][..]);
        assert!(split_frame(&mut bytes).unwrap_err().0.contains("must be at most 2097152"));
        let mut bytes = BytesMut::from(&[0xff; 6][..]);
        assert!(split_frame(&mut bytes).unwrap_err().0.contains("more than 5 bytes"));
        assert!(decode(&[0x3a, 0x7f, 0x00]).is_err());
    }
}
