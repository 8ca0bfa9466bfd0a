// SPDX-License-Identifier: Apache-2.0
//! Tables of ids. The hash is one multiplication, with a seed per process: clients choose ids.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

pub type IdMap<K, V> = HashMap<K, V, Seed>;
pub type IdSet<K> = HashSet<K, Seed>;

#[derive(Clone)]
pub struct Seed(u64);

impl Default for Seed {
    fn default() -> Self {
        static SEED: OnceLock<u64> = OnceLock::new();
        Seed(*SEED.get_or_init(|| RandomState::new().hash_one(0u64)))
    }
}

impl BuildHasher for Seed {
    type Hasher = Mix;

    fn build_hasher(&self) -> Mix {
        Mix(self.0)
    }
}

pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}
