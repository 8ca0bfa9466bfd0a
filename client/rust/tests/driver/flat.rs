// SPDX-License-Identifier: Apache-2.0
//! Messages as flat text: one word per field.

use std::collections::HashMap;
use std::fmt::Write as _;

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage, Value};

pub fn bytes_of(hexadecimal: &str) -> Vec<u8> {
    let digits = hexadecimal.as_bytes().chunks(2);
    digits.filter_map(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()).collect()
}

pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

// ---- printing ----

/// Exponents have a sign.
fn with_sign(number: String) -> String {
    match number.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => number,
    }
}

fn text_of(field: &FieldDescriptor, value: &Value) -> String {
    match (value, field.kind()) {
        (Value::EnumNumber(number), Kind::Enum(kind)) => {
            kind.get_value(*number).map_or(number.to_string(), |value| value.name().to_string())
        }
        (Value::String(text), _) => hexadecimal(text.as_bytes()),
        (Value::Bytes(bytes), _) => hexadecimal(bytes),
        (Value::Bool(flag), _) => flag.to_string(),
        (Value::I32(number), _) => number.to_string(),
        (Value::U32(number), _) => number.to_string(),
        (Value::U64(number), _) => number.to_string(),
        (Value::F32(number), _) => with_sign(format!("{number:?}")),
        (Value::F64(number), _) => with_sign(format!("{number:?}")),
        _ => String::new(),
    }
}

/// Prints the fields that are present.
pub fn print(message: &DynamicMessage, path: &str, out: &mut String) {
    for (field, value) in message.fields() {
        let name = if path.is_empty() { field.name().to_string() } else { format!("{path}.{}", field.name()) };
        match value {
            Value::Message(inner) => {
                let _ = writeln!(out, "{name}={{}}");
                print(inner, &name, out);
            }
            Value::List(list) => {
                let texts: Vec<String> = list
                    .iter()
                    .map(|each| if each.as_message().is_some() { "{}".to_string() } else { text_of(&field, each) })
                    .collect();
                let _ = writeln!(out, "{name}={}", texts.join(","));
                for (i, inner) in list.iter().filter_map(Value::as_message).enumerate() {
                    print(inner, &format!("{name}[{i}]"), out);
                }
            }
            value => {
                let _ = writeln!(out, "{name}={}", text_of(&field, value));
            }
        }
    }
}

// ---- reading ----

fn value_of(field: &FieldDescriptor, text: &str) -> Option<Value> {
    Some(match field.kind() {
        Kind::Enum(kind) => Value::EnumNumber(kind.get_value_by_name(text)?.number()),
        Kind::String => Value::String(String::from_utf8(bytes_of(text)).ok()?),
        Kind::Bytes => Value::Bytes(bytes_of(text).into()),
        Kind::Bool => Value::Bool(text == "true"),
        Kind::Float => Value::F32(text.parse().ok()?),
        Kind::Double => Value::F64(text.parse().ok()?),
        Kind::Sint32 | Kind::Int32 => Value::I32(text.parse().ok()?),
        Kind::Fixed64 | Kind::Uint64 => Value::U64(text.parse().ok()?),
        _ => Value::U32(text.parse().ok()?),
    })
}

/// The message whose fields have these words. Its path is a prefix with a dot at the end, or empty.
pub fn read(kind: &MessageDescriptor, words: &HashMap<&str, &str>, path: &str) -> Option<DynamicMessage> {
    let mut message = DynamicMessage::new(kind.clone());
    for field in kind.fields() {
        let name = format!("{path}{}", field.name());
        let Some(text) = words.get(&name[..]) else { continue };
        let value = match field.kind() {
            Kind::Message(inner) => Value::Message(read(&inner, words, &format!("{name}."))?),
            _ if field.is_list() => {
                Value::List(text.split(',').map(|each| value_of(&field, each)).collect::<Option<_>>()?)
            }
            _ => value_of(&field, text)?,
        };
        message.set_field(&field, value);
    }
    debug_assert!(message.descriptor() == *kind);
    Some(message)
}
