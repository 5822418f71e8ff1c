//! Shared by the peers in Rust: the portal's answers from an import document, its tokens, its errors, and the headers of all
//! answers.

mod answer;
mod portal;
mod tokens;

pub use answer::{Answer, COMMON_HEADERS, CORRELATION, Caching, Problem, correlation};
pub use portal::{Portal, Views};
pub use tokens::{Caller, Tokens};
