// SPDX-License-Identifier: Apache-2.0
//! Which moves name the same ids again: those send positions alone, through a roster.

use std::sync::Arc;

const ROSTERS_MAX: usize = 16;
/// Below that a roster saves next to nothing.
const IDS_MIN: usize = 4;

struct Roster {
    number: u32,
    ids: Arc<[u32]>,
}

/// The rosters of one room in one session of the server. The least recently used one makes place.
#[derive(Default)]
pub struct Rosters {
    /// The most recently used last.
    rosters: Vec<Roster>,
    /// The ids of the last move without a roster.
    before: Vec<u32>,
}

pub struct Choice {
    pub number: u32,
    pub ids: Arc<[u32]>,
    /// Register it first.
    pub is_new: bool,
    /// Rosters to drop before.
    pub dropped: Vec<u32>,
}

impl Rosters {
    /// The roster of these ids. None: move by ids.
    pub fn find(&mut self, ids: &[u32], ids_max: usize) -> Option<Choice> {
        if let Some(i) = self.rosters.iter().rposition(|known| *known.ids == *ids) {
            let known = self.rosters.remove(i);
            let choice = Choice { number: known.number, ids: known.ids.clone(), is_new: false, dropped: Vec::new() };
            self.rosters.push(known);
            return Some(choice);
        }
        if ids.len() < IDS_MIN || ids.len() > ids_max || self.before != ids {
            self.before.clear();
            self.before.extend_from_slice(ids);
            return None;
        }
        self.before.clear();
        let mut dropped = Vec::new();
        while self.rosters.len() == ROSTERS_MAX || self.total() + ids.len() > ids_max {
            dropped.push(self.rosters.remove(0).number);
        }
        let used = |number: &u32| self.rosters.iter().any(|known| known.number == *number);
        let number = (0..ROSTERS_MAX as u32).find(|number| !used(number))?;
        let ids: Arc<[u32]> = ids.into();
        self.rosters.push(Roster { number, ids: ids.clone() });
        Some(Choice { number, ids, is_new: true, dropped })
    }

    fn total(&self) -> usize {
        self.rosters.iter().map(|known| known.ids.len()).sum()
    }

    pub fn forget(&mut self) {
        self.rosters.clear();
        self.before.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_move_of_the_same_ids_registers_a_roster() {
        let mut rosters = Rosters::default();
        assert!(rosters.find(&[1, 2, 3, 4], 100).is_none());
        assert!(rosters.find(&[1, 2, 4, 3], 100).is_none());
        let choice = rosters.find(&[1, 2, 4, 3], 100).unwrap();
        assert!(choice.is_new && choice.number == 0);
        assert!(!rosters.find(&[1, 2, 4, 3], 100).unwrap().is_new);
    }

    #[test]
    fn least_recently_used_roster_makes_place() {
        let mut rosters = Rosters::default();
        let mut dropped = Vec::new();
        for first in [0, 10, 20, 0, 30] {
            let ids: Vec<u32> = (first..first + 10).collect();
            rosters.find(&ids, 30);
            dropped.extend(rosters.find(&ids, 30).unwrap().dropped);
        }
        assert_eq!(dropped, [1]);
        assert!(rosters.find(&(0..31).collect::<Vec<_>>(), 30).is_none());
    }
}
