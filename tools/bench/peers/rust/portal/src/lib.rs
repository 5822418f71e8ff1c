//! What the peers in Rust have in common: the portal's answers from an import document, its tokens, its refusals, and the
//! headers that every answer carries.

mod answer;
mod portal;
mod tokens;

pub use answer::{Answer, COMMON_HEADERS, CORRELATION, Caching, Problem, correlation};
pub use portal::{Portal, Views};
pub use tokens::{Caller, Tokens};
