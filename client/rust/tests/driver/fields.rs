// SPDX-License-Identifier: Apache-2.0
//! The words of a command: a name, and fields.

use std::collections::HashMap;
use std::str::FromStr;

#[derive(Default)]
pub struct Fields {
    pub name: String,
    fields: HashMap<String, String>,
}

impl Fields {
    pub fn parse(text: &str) -> Fields {
        let mut parsed = Fields::default();
        for word in text.split(' ') {
            match word.split_once('=') {
                Some((name, value)) => drop(parsed.fields.insert(name.to_string(), value.to_string())),
                None if parsed.name.is_empty() => parsed.name = word.to_string(),
                None => {}
            }
        }
        parsed
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(|text| &text[..])
    }

    pub fn one<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    pub fn flag(&self, name: &str) -> bool {
        self.one(name) == Some(1u8)
    }

    pub fn column<T: FromStr>(&self, name: &str) -> Vec<T> {
        let text = self.text(name).filter(|text| !text.is_empty());
        text.map_or(Vec::new(), |text| text.split(',').filter_map(|value| value.parse().ok()).collect())
    }

    pub fn hexadecimal(&self, name: &str) -> Vec<u8> {
        crate::flat::bytes_of(self.text(name).unwrap_or(""))
    }
}
