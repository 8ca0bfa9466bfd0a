// SPDX-License-Identifier: Apache-2.0
//! Golden vectors: frames, and blobs of the relay stream.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::process::Command;

use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use quadrille::fold::relay::Relay;
use quadrille::proto::ClientFrame;
use quadrille::wire;

use crate::flat;

#[derive(Default)]
pub struct Golden {
    relay: Option<Relay>,
    pool: Option<DescriptorPool>,
}

impl Golden {
    /// None: it is another command.
    pub fn answer(&mut self, command: &str, rest: &str, out: &mut String) -> Option<String> {
        Some(match command {
            "relay" => self.relay(rest, out).unwrap_or_else(|| format!("error relay {rest}")),
            "decode" => self.decode(rest, out),
            "encode" => self.encode(rest, out),
            _ => return None,
        })
    }

    fn relay(&mut self, rest: &str, out: &mut String) -> Option<String> {
        let words: Vec<&str> = rest.split(' ').collect();
        let number = |i: usize| words.get(i)?.parse::<i64>().ok();
        if words[0] == "state" {
            self.relay = Some(Relay::new(number(2)? as i32, number(1)? as usize, number(3)? as usize));
            return Some("ok".into());
        }
        let relay = self.relay.as_mut()?;
        match words[0] {
            "start" => {
                let mut at = [0f32; 3];
                for (value, word) in at.iter_mut().zip(&words[2..]) {
                    *value = f32::from_bits(u32::from_str_radix(word, 16).ok()?);
                }
                relay.start(number(1)? as usize, at).ok()?;
            }
            "blob" => {
                if relay.read(&flat::bytes_of(words.get(1).unwrap_or(&""))).is_err() {
                    return Some("error refused".into());
                }
            }
            _ => {
                let steps: Vec<String> = relay.steps(number(1)? as usize).iter().map(i32::to_string).collect();
                let _ = writeln!(out, "at {} {}", words[1], steps.join(" "));
            }
        }
        Some("ok".into())
    }

    /// A message of quadrille.proto, as protoc describes it.
    fn kind(&mut self, name: &str) -> Option<MessageDescriptor> {
        if self.pool.is_none() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proto");
            let made = Command::new("protoc")
                .args(["--descriptor_set_out=/dev/stdout", "--proto_path", folder, "quadrille.proto"])
                .output()
                .ok()?;
            self.pool = DescriptorPool::decode(&made.stdout[..]).ok();
        }
        self.pool.as_ref()?.get_message_by_name(name)
    }

    fn decode(&mut self, rest: &str, out: &mut String) -> String {
        let Some(kind) = self.kind("quadrille.v1.ServerFrame") else { return "error protoc".into() };
        let frame = match wire::decode(&flat::bytes_of(rest)) {
            Ok(frame) => frame,
            Err(error) => return format!("error {}", error.0),
        };
        match DynamicMessage::decode(kind, &frame.encode_to_vec()[..]) {
            Ok(message) => {
                flat::print(&message, "", out);
                "ok".into()
            }
            Err(error) => format!("error {error}"),
        }
    }

    fn encode(&mut self, rest: &str, out: &mut String) -> String {
        let Some(kind) = self.kind("quadrille.v1.ClientFrame") else { return "error protoc".into() };
        let words: HashMap<&str, &str> = rest.split(' ').filter_map(|word| word.split_once('=')).collect();
        let Some(message) = flat::read(&kind, &words, "") else { return format!("error a field of {rest}") };
        let frame = match ClientFrame::decode(&message.encode_to_vec()[..]) {
            Ok(frame) => frame,
            Err(error) => return format!("error {error}"),
        };
        let bytes = match &frame.message {
            Some(message) => {
                let mut bytes = bytes::BytesMut::from(&wire::encode(frame.seq, message, frame.confirm)[..]);
                match wire::split_frame(&mut bytes) {
                    Ok(Some(frame)) => frame.to_vec(),
                    _ => return "error the frame is longer than a server's".into(),
                }
            }
            None => frame.encode_to_vec(),
        };
        let _ = writeln!(out, "frame {}", flat::hexadecimal(&bytes));
        "ok".into()
    }
}
