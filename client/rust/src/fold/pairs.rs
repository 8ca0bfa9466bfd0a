// SPDX-License-Identifier: Apache-2.0
//! The set of pairs of a room, folded from its Tick frames.

use super::hash::IdSet;
use crate::error::Contradiction;
use crate::proto;

fn key(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

fn pair(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

fn sorted(keys: impl Iterator<Item = u64>) -> Vec<(u32, u32)> {
    let mut pairs: Vec<_> = keys.map(pair).collect();
    pairs.sort_unstable();
    pairs
}

/// The pairs that ended and began by a reset.
#[derive(Debug)]
pub struct Difference {
    pub ended: Vec<(u32, u32)>,
    pub begun: Vec<(u32, u32)>,
}

#[derive(Default)]
pub struct Pairs {
    keys: IdSet<u64>,
    /// What a reset has brought so far.
    next: Option<IdSet<u64>>,
    /// Whether it is the set of a whole tick.
    pub known: bool,
}

impl Pairs {
    pub fn has(&self, a: u32, b: u32) -> bool {
        self.keys.contains(&key(a.min(b), a.max(b)))
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn to_vec(&self) -> Vec<(u32, u32)> {
        sorted(self.keys.iter().copied())
    }

    pub fn in_reset(&self) -> bool {
        self.next.is_some()
    }

    /// Folds one frame that is no suspension. Returns the difference at the end of a reset. After an error the set is
    /// unknown until a reset.
    pub fn apply(&mut self, frame: &proto::Tick) -> Result<Option<Difference>, Contradiction> {
        if frame.reset {
            self.next = Some(IdSet::default());
        } else if self.next.is_none() && !self.known && frame.begin_a.is_empty() && frame.end_a.is_empty() {
            return Ok(None);
        }
        let keys = self.next.as_mut().unwrap_or(&mut self.keys);
        let ends = frame.end_a.iter().zip(&frame.end_b);
        let begins = frame.begin_a.iter().zip(&frame.begin_b);
        let mut fits = frame.end_a.len() == frame.end_b.len() && frame.begin_a.len() == frame.begin_b.len();
        for (a, b) in ends {
            fits &= keys.remove(&key(*a, *b));
        }
        for (a, b) in begins {
            fits &= keys.insert(key(*a, *b));
        }
        if !fits {
            self.suspend();
            return Err(Contradiction("a pair ends that is not in the set, or begins that is".into()));
        }
        self.known = frame.last;
        if !self.known {
            return Ok(None);
        }
        let Some(next) = self.next.take() else { return Ok(None) };
        let before = std::mem::replace(&mut self.keys, next);
        Ok(Some(Difference {
            ended: sorted(before.difference(&self.keys).copied()),
            begun: sorted(self.keys.difference(&before).copied()),
        }))
    }

    /// Nothing is known until a reset.
    pub fn suspend(&mut self) {
        self.next = Some(IdSet::default());
        self.known = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(reset: bool, begins: &[(u32, u32)], ends: &[(u32, u32)]) -> proto::Tick {
        proto::Tick {
            reset,
            last: true,
            begin_a: begins.iter().map(|pair| pair.0).collect(),
            begin_b: begins.iter().map(|pair| pair.1).collect(),
            end_a: ends.iter().map(|pair| pair.0).collect(),
            end_b: ends.iter().map(|pair| pair.1).collect(),
            ..Default::default()
        }
    }

    #[test]
    fn reset_reports_the_difference() {
        let mut pairs = Pairs::default();
        pairs.apply(&frame(true, &[(1, 2), (1, 3)], &[])).unwrap();
        pairs.apply(&frame(false, &[(2, 3)], &[(1, 2)])).unwrap();
        assert_eq!(pairs.to_vec(), [(1, 3), (2, 3)]);
        let difference = pairs.apply(&frame(true, &[(1, 3), (4, 5)], &[])).unwrap().unwrap();
        assert_eq!(difference.ended, [(2, 3)]);
        assert_eq!(difference.begun, [(4, 5)]);
        assert!(pairs.has(5, 4) && !pairs.has(2, 3));
        assert_eq!(pairs.len(), 2);
    }

    #[test]
    fn contradiction_leaves_the_set_unknown_until_a_reset() {
        for wrong in [frame(false, &[(1, 2)], &[]), frame(false, &[], &[(7, 8)])] {
            let mut pairs = Pairs::default();
            pairs.apply(&frame(true, &[(1, 2)], &[])).unwrap();
            assert!(pairs.apply(&wrong).is_err());
            assert!(!pairs.known && pairs.in_reset());
            pairs.apply(&frame(true, &[(3, 4)], &[])).unwrap();
            assert!(pairs.known);
        }
    }
}
