// SPDX-License-Identifier: Apache-2.0
//! Folds what the server sends about a room, and collects the changes for the program.

use std::collections::VecDeque;
use std::sync::Arc;

use super::pairs::Pairs;
use super::tick::{end_reason, Tick};
use super::views::Views;
use crate::error::Contradiction;
use crate::proto::{self, EndReason};

/// Ticks that wait for an iterator; then they are merged.
const TICKS_MAX: usize = 64;

/// What folds over time for one reader of the program.
struct Collector {
    number: u64,
    /// None: everything in one tick.
    waiting: Option<VecDeque<Tick>>,
    news: Tick,
}

/// The folded sets of a room.
#[derive(Default)]
pub struct Folding {
    /// It ticks by Step.
    pub steps: bool,
    pub pairs: Pairs,
    pub views: Views,
    /// The last tick that the session knows of. After a restart of the server it counts from 1.
    pub tick: u64,
    /// A reset is on its way.
    pub pairs_stale: bool,
    pub view_stale: bool,
    pub wants_pairs: bool,
    pub wants_view: bool,
    /// Entities could not be spawned yet.
    pub is_missing: bool,
    /// Whether the room has handlers.
    pub has_handlers: bool,
    /// What handlers have not seen yet.
    pub reports: Vec<Arc<Tick>>,
    view_resets: bool,
    collectors: Vec<Collector>,
    collectors_so_far: u64,
}

impl Folding {
    /// Whether the sets are those of the last tick, as far as a step waits for that.
    pub fn is_current(&self) -> bool {
        !self.is_missing && !self.pairs_stale && (self.steps || !self.view_stale)
    }

    /// Whether both sets are those of the last tick.
    pub fn is_settled(&self) -> bool {
        !self.pairs_stale
            && !self.view_stale
            && !self.pairs.in_reset()
            && (!self.wants_pairs || self.pairs.known)
            && !self.views.incomplete
    }

    // ---- collectors ----

    /// Collects changes from now on: in one tick, or in a queue.
    pub fn collect(&mut self, in_queue: bool) -> u64 {
        self.collectors_so_far += 1;
        let waiting = in_queue.then(VecDeque::new);
        self.collectors.push(Collector { number: self.collectors_so_far, waiting, news: Tick::default() });
        self.collectors_so_far
    }

    pub fn end_collect(&mut self, number: u64) -> Tick {
        match self.collectors.iter().position(|each| each.number == number) {
            Some(i) => self.collectors.remove(i).news,
            None => Tick::default(),
        }
    }

    pub fn next_collected(&mut self, number: u64) -> Option<Tick> {
        self.collectors.iter_mut().find(|each| each.number == number)?.waiting.as_mut()?.pop_front()
    }

    fn wants_relays(&self) -> bool {
        self.has_handlers || self.collectors.iter().any(|each| each.waiting.is_some())
    }

    fn report(&mut self, tick: Tick) {
        for collector in &mut self.collectors {
            match &mut collector.waiting {
                None => collector.news.merge(&tick),
                Some(waiting) if waiting.len() < TICKS_MAX => waiting.push_back(tick.clone()),
                Some(waiting) => waiting[TICKS_MAX - 1].merge(&tick),
            }
        }
        if self.has_handlers {
            self.reports.push(Arc::new(tick));
        }
    }

    fn is_watched(&self) -> bool {
        self.has_handlers || !self.collectors.is_empty()
    }

    // ---- frames ----

    pub fn fold_tick(&mut self, frame: &proto::Tick) -> Result<(), Contradiction> {
        self.tick = self.tick.max(frame.tick);
        if frame.suspended {
            self.pairs.suspend();
            self.pairs_stale = false;
            return Ok(());
        }
        let was_reset = self.pairs.in_reset() || frame.reset;
        let difference = self.pairs.apply(frame)?;
        if frame.last {
            self.pairs_stale = false;
        }
        if !self.is_watched() {
            return Ok(());
        }
        let mut tick = Tick { number: frame.tick, ..Default::default() };
        if let Some(difference) = difference {
            tick.reset = true;
            tick.end_reasons = vec![EndReason::Unspecified; difference.ended.len()];
            tick.ends = difference.ended;
            tick.begins = difference.begun;
        } else if !was_reset {
            let rows = |a: &[u32], b: &[u32]| a.iter().copied().zip(b.iter().copied()).collect();
            tick.ends = rows(&frame.end_a, &frame.end_b);
            tick.begins = rows(&frame.begin_a, &frame.begin_b);
            tick.passed = rows(&frame.passed_a, &frame.passed_b);
            tick.stays = rows(&frame.stay_a, &frame.stay_b);
            tick.end_reasons = frame.end_reason.iter().copied().map(end_reason).collect();
            tick.end_reasons.resize(tick.ends.len(), EndReason::Unspecified);
        }
        if frame.last || !tick.is_empty() {
            self.report(tick);
        }
        Ok(())
    }

    pub fn fold_view(&mut self, frame: &proto::View) -> Result<(), Contradiction> {
        self.tick = self.tick.max(frame.tick);
        let mut news = Tick { number: frame.tick, ..Default::default() };
        let wants_relays = self.wants_relays();
        let result = self.views.apply(frame, wants_relays, &mut news);
        self.report_views(news);
        self.view_resets |= frame.reset;
        if frame.suspended || (self.view_resets && frame.last) {
            self.view_resets = false;
            self.view_stale = false;
        }
        result
    }

    fn report_views(&mut self, news: Tick) {
        if self.is_watched() && !news.is_empty() {
            self.report(news);
        }
    }

    /// The connection is lost, and with it what a tick has not completed.
    pub fn fold_lost(&mut self) {
        let mut news = Tick { number: self.tick, ..Default::default() };
        if self.views.incomplete && !self.views.suspended {
            self.views.suspend(&mut news);
        }
        self.report_views(news);
        self.pairs_stale = self.wants_pairs;
        self.view_stale = self.wants_view;
        self.view_resets = false;
    }

    /// The server's session is new.
    pub fn fold_restart(&mut self) {
        let mut news = Tick { number: self.tick, ..Default::default() };
        self.views.restart(&mut news);
        self.report_views(news);
        self.pairs.suspend();
        self.view_stale = self.wants_view;
    }
}
