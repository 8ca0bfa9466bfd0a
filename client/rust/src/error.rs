// SPDX-License-Identifier: Apache-2.0
//! What can go wrong.

use std::fmt;

use crate::proto::ErrorCode;

/// The name of an ErrorCode, such as `UNKNOWN_ID`; its number if this version does not know it.
pub fn code_name(code: i32) -> String {
    match ErrorCode::try_from(code) {
        Ok(known) => known.as_str_name().trim_start_matches("ERROR_CODE_").to_string(),
        Err(_) => code.to_string(),
    }
}

/// An entry of a batch that the server refused. The others were applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedEntry {
    /// The index in the columns of the call.
    pub index: usize,
    /// The id of the entity or observer.
    pub id: u32,
    /// An [`ErrorCode`].
    pub code: i32,
    /// The number of the field at fault; 0: the entry as a whole.
    pub field: u32,
}

impl RefusedEntry {
    /// The name of the code, such as `NOT_OWNER`.
    pub fn reason(&self) -> String {
        code_name(self.code)
    }
}

/// Why the server refused a request, or entries of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The room's name; empty: the session itself.
    pub room: String,
    /// The request, such as `move` or `spawn`.
    pub command: &'static str,
    /// An [`ErrorCode`]; that of the first entry, if entries were refused.
    pub code: i32,
    /// For people: the value, the rule and the fix.
    pub text: String,
    /// Empty: the whole request was refused.
    pub entries: Vec<RefusedEntry>,
}

impl Refusal {
    /// The name of the code, such as `LIMIT`.
    pub fn reason(&self) -> String {
        code_name(self.code)
    }

    /// Whether it has this code.
    pub fn is(&self, code: ErrorCode) -> bool {
        self.code == code as i32
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}: {}", self.command, self.reason(), self.text)
    }
}

/// What a call of this crate returns instead of its result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server refused the request, or entries of it.
    Refused(Box<Refusal>),
    /// The room is closed, or this session has left it.
    RoomClosed(String),
    /// The session was closed, or the server refuses its token or version.
    SessionEnded(String),
    /// The argument is out of its range. Nothing was sent.
    Invalid(String),
    /// No session within the time of [`Options::timeout`](crate::Options::timeout).
    Timeout(String),
    /// The answer was lost, because the server's session is new.
    Lost,
}

impl Error {
    /// The refusal, if it is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Error::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Refused(refusal) => refusal.fmt(out),
            Error::RoomClosed(text) | Error::SessionEnded(text) | Error::Invalid(text) | Error::Timeout(text) => {
                out.write_str(text)
            }
            Error::Lost => out.write_str("the answer was lost with the server's session. Ask again"),
        }
    }
}

impl std::error::Error for Error {}

/// A frame contradicts what was folded, which a server never sends. The session reconnects and gets a reset.
#[derive(Debug)]
pub(crate) struct Contradiction(pub String);
