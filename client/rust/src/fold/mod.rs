// SPDX-License-Identifier: Apache-2.0
//! Folds what the server sends into sets: pairs, views, and the changes of each tick.

pub(crate) mod folding;
pub(crate) mod hash;
pub(crate) mod pairs;
pub mod relay;
pub(crate) mod tick;
pub(crate) mod views;
