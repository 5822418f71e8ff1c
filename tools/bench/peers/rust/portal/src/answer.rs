use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

pub const CORRELATION: &str = "x-correlation-id";
pub const COMMON_HEADERS: [(&str, &str); 2] =
    [("vary", "Authorization, Origin, Accept-Encoding, Accept-Language"), ("x-content-type-options", "nosniff")];

pub enum Caching {
    Revalidated,
    Never,
}

impl Caching {
    pub fn directive(&self) -> &'static str {
        match self {
            Caching::Revalidated => "private, no-cache",
            Caching::Never => "no-store",
        }
    }
}

/// A status, a body in JSON (none with 304), and the headers that depend on them.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn found(given: &impl Serialize, caching: Caching, if_none_match: Option<&str>) -> Self {
        let body = serde_json::to_vec(given).expect("what is answered can be written as JSON");
        let tag = format!("\"{:x}\"", xxh3_128(&body));
        let is_known = if_none_match == Some(&tag);
        let mut headers = vec![("etag", tag), ("cache-control", caching.directive().into())];
        if is_known {
            return Self { status: 304, headers, body: vec![] };
        }
        headers.push(("content-type", "application/json; charset=utf-8".into()));
        Self { status: 200, headers, body }
    }
}

/// Why a request is refused.
pub enum Problem {
    NoToken,
    BadToken,
    Forbidden,
    Invalid(&'static str),
    NoRoute,
    NoMailObject(i64),
    NoBundle(String),
}

#[derive(Serialize)]
struct Envelope {
    error: Failure,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Failure {
    code: (),
    message: String,
    details: (),
    data: serde_json::Map<String, serde_json::Value>,
    validation_errors: (),
}

impl From<Problem> for Answer {
    fn from(problem: Problem) -> Self {
        let mut headers = vec![
            ("content-type", "application/json; charset=utf-8".into()),
            ("cache-control", Caching::Never.directive().into()),
        ];
        let (status, message) = match &problem {
            Problem::NoToken => (401, "Authentication is required!".into()),
            Problem::BadToken => (401, "The token is not valid!".into()),
            Problem::Forbidden => (403, "You are not allowed to do this!".into()),
            Problem::Invalid(name) => (400, format!("{name} is not valid!")),
            Problem::NoRoute => (404, "There is nothing here!".into()),
            Problem::NoMailObject(id) => (404, format!("There is no entity ObjetCourrier with id = {id}!")),
            Problem::NoBundle(id) => (404, format!("There is no entity Liasse with id = {id}!")),
        };
        if matches!(problem, Problem::BadToken) {
            headers.push(("www-authenticate", "Bearer error=\"invalid_token\"".into()));
        }
        if status != 401 && status != 403 {
            headers.push(("_abperrorformat", "true".into()));
        }
        let error = Failure { code: (), message, details: (), data: Default::default(), validation_errors: () };
        let body = serde_json::to_vec(&Envelope { error }).expect("a refusal can be written as JSON");
        Self { status, headers, body }
    }
}

/// The correlation id of an answer: that of the request, or a new one.
pub fn correlation(given: Option<&str>) -> String {
    given.map_or_else(|| format!("{:032x}", rand::random::<u128>()), String::from)
}
