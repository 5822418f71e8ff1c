//! The portal's routes as a Rust component on wasi:http 0.2, for Spin and similar hosts: serde with typed structures, and
//! jsonwebtoken, with a cache of verified tokens in each instance. The data is the import document, in the component's initial
//! memory (`wasmtime wizer`); only consultations are stored outside, in a file for each user. The answers have the portal's JSON
//! and headers, their own tags, and 304.
//!
//! Environment: KEYS, the public key set; ISSUER; AUDIENCE. /data is a writable directory. DOCUMENT, at compile
//! time: the path of the import document.

mod views;

use std::env::var;
use std::sync::{LazyLock, OnceLock};

use portal::{Answer, COMMON_HEADERS, CORRELATION, Caching, Caller, Portal, Problem, Tokens, correlation};
use serde::Serialize;
use wasip2::http::types::{Fields, IncomingRequest, Method, OutgoingBody, OutgoingResponse, ResponseOutparam};

static PORTAL: OnceLock<Portal> = OnceLock::new();

static TOKENS: LazyLock<Tokens> = LazyLock::new(|| {
    let setting = |name| var(name).expect("KEYS, ISSUER and AUDIENCE are set");
    Tokens::new(&setting("KEYS"), &setting("ISSUER"), &setting("AUDIENCE"))
});

/// Called by `wasmtime wizer` when the component is built.
#[unsafe(export_name = "wizer-initialize")]
extern "C" fn initialize() {
    portal();
}

fn portal() -> &'static Portal {
    PORTAL.get_or_init(|| Portal::read(include_str!(env!("DOCUMENT"))))
}

struct Component;

impl wasip2::exports::http::incoming_handler::Guest for Component {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        let headers = request.headers();
        let correlation = correlation(header(&headers, CORRELATION).as_deref());
        let answer = answer(&request, &headers).unwrap_or_else(Answer::from);
        send(answer, correlation, out);
    }
}

wasip2::http::proxy::export!(Component);

fn answer(request: &IncomingRequest, headers: &Fields) -> Result<Answer, Problem> {
    let caller = TOKENS.verify(header(headers, "authorization").as_deref())?;
    if !matches!(request.method(), Method::Get) {
        return Err(Problem::NoRoute);
    }
    let target = request.path_with_query().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let path = path.strip_prefix("/api/app/").ok_or(Problem::NoRoute)?;
    let context = RequestContext { caller: &caller, if_none_match: header(headers, "if-none-match") };
    match path.split_once('/').unwrap_or((path, "")) {
        ("objet-courrier", "") => context.mail_objects(query),
        ("objet-courrier", id) => context.mail_object(id),
        ("liasse", "") => context.bundles(),
        ("liasse", "dashboard-list") => context.dashboard(),
        ("liasse", id) => context.bundle(id),
        _ => Err(Problem::NoRoute),
    }
}

/// The caller of a valid token, and the conditional header of the request.
struct RequestContext<'a> {
    caller: &'a Caller,
    if_none_match: Option<String>,
}

impl RequestContext<'_> {
    fn mail_objects(&self, query: &str) -> Result<Answer, Problem> {
        let page = portal().mail_object_page(number(query, "SkipCount")?, number(query, "MaxResultCount")?)?;
        self.answer(&page, Caching::Revalidated)
    }

    fn mail_object(&self, id: &str) -> Result<Answer, Problem> {
        let id = id.parse().map_err(|_| Problem::Invalid("id"))?;
        self.answer(portal().mail_object(id)?, Caching::Revalidated)
    }

    fn bundles(&self) -> Result<Answer, Problem> {
        self.answer(&portal().bundles_of(self.caller, &views::read(&self.caller.sub)), Caching::Never)
    }

    fn dashboard(&self) -> Result<Answer, Problem> {
        self.answer(&portal().managed_bundles_of(self.caller, &views::read(&self.caller.sub))?, Caching::Never)
    }

    fn bundle(&self, id: &str) -> Result<Answer, Problem> {
        let mut seen = views::read(&self.caller.sub);
        let (found, now_seen) = portal().bundle_for(self.caller, id, &seen)?;
        if let Some(deposits) = now_seen {
            seen.insert(id.into(), deposits);
            views::write(&self.caller.sub, &seen);
        }
        self.answer(&found, Caching::Never)
    }

    fn answer(&self, given: &impl Serialize, caching: Caching) -> Result<Answer, Problem> {
        Ok(Answer::found(given, caching, self.if_none_match.as_deref()))
    }
}

fn header(headers: &Fields, name: &str) -> Option<String> {
    headers.get(name).into_iter().next().and_then(|value| String::from_utf8(value).ok())
}

fn number(query: &str, name: &'static str) -> Result<Option<usize>, Problem> {
    let given = query.split('&').filter_map(|part| part.split_once('=')).find(|(key, _)| *key == name);
    given.map(|(_, value)| value.parse().map_err(|_| Problem::Invalid(name))).transpose()
}

fn send(answer: Answer, correlation: String, out: ResponseOutparam) {
    let Answer { status, headers, body } = answer;
    let mut fields = vec![(CORRELATION.to_owned(), correlation.into_bytes())];
    fields.extend(COMMON_HEADERS.map(|(name, value)| (name.to_owned(), value.into())));
    fields.extend(headers.into_iter().map(|(name, value)| (name.to_owned(), value.into_bytes())));
    if !body.is_empty() {
        fields.push(("content-length".to_owned(), body.len().to_string().into_bytes()));
    }
    let response = OutgoingResponse::new(Fields::from_list(&fields).expect("headers of ours"));
    response.set_status_code(status).expect("a status of ours");
    let outgoing = response.body().expect("it is requested once");
    ResponseOutparam::set(out, Ok(response));
    // The client has disconnected; the error cannot be reported.
    let _ = write(&outgoing, &body);
    let _ = OutgoingBody::finish(outgoing, None);
}

fn write(outgoing: &OutgoingBody, mut body: &[u8]) -> Result<(), wasip2::io::streams::StreamError> {
    let stream = outgoing.write().expect("it is requested once");
    while !body.is_empty() {
        let size = match stream.check_write()? {
            0 => {
                stream.subscribe().block();
                continue;
            }
            available => body.len().min(available as usize),
        };
        stream.write(&body[..size])?;
        body = &body[size..];
    }
    stream.flush()
}
