//! The portal's routes in axum: serde with typed structures, and jsonwebtoken, with a cache of verified tokens. The data is the
//! import document, in memory. The answers have the portal's JSON and headers, their own tags, and 304.
//!
//!     portail-axum DOCUMENT KEYS ISSUER AUDIENCE: the import document, and the public key set

use std::collections::HashMap;
use std::env::args;
use std::fs::read_to_string;
use std::sync::{Arc, LazyLock, RwLock};

use axum::Router;
use axum::extract::{FromRequestParts, Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use portal::{Answer, COMMON_HEADERS, CORRELATION, Caching, Caller, Portal, Problem, Tokens, Views, correlation};
use serde::{Deserialize, Serialize};

struct Server {
    portal: Portal,
    tokens: Tokens,
    views: RwLock<HashMap<String, Views>>, // by person
}

static NOTHING_SEEN: LazyLock<Views> = LazyLock::new(Views::new);

/// The caller of a valid token, and the conditional header of the request.
struct RequestContext {
    caller: Arc<Caller>,
    if_none_match: Option<HeaderValue>,
}

impl FromRequestParts<Arc<Server>> for RequestContext {
    type Rejection = Reply;

    async fn from_request_parts(parts: &mut Parts, server: &Arc<Server>) -> Result<Self, Reply> {
        let authorization = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let caller = server.tokens.verify(authorization)?;
        Ok(Self { caller, if_none_match: parts.headers.get(header::IF_NONE_MATCH).cloned() })
    }
}

impl RequestContext {
    fn answer(&self, given: &impl Serialize, caching: Caching) -> Outcome {
        let if_none_match = self.if_none_match.as_ref().and_then(|value| value.to_str().ok());
        Ok(Reply(Answer::found(given, caching, if_none_match)))
    }
}

struct Reply(Answer);
type Outcome = Result<Reply, Reply>;

impl From<Problem> for Reply {
    fn from(problem: Problem) -> Self {
        Self(problem.into())
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let Self(Answer { status, headers, body }) = self;
        let mut response = Response::new(body.into());
        *response.status_mut() = StatusCode::from_u16(status).expect("a valid status");
        for (name, value) in headers {
            let value = HeaderValue::try_from(value).expect("a value of ours");
            response.headers_mut().insert(HeaderName::from_static(name), value);
        }
        response
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Page {
    skip_count: Option<usize>,
    max_result_count: Option<usize>,
}

async fn mail_objects(State(server): State<Arc<Server>>, context: RequestContext, Query(page): Query<Page>) -> Outcome {
    let found = server.portal.mail_object_page(page.skip_count, page.max_result_count)?;
    context.answer(&found, Caching::Revalidated)
}

async fn mail_object(State(server): State<Arc<Server>>, context: RequestContext, Path(id): Path<i64>) -> Outcome {
    context.answer(server.portal.mail_object(id)?, Caching::Revalidated)
}

async fn bundles(State(server): State<Arc<Server>>, context: RequestContext) -> Outcome {
    let views = server.views.read().expect("no thread panicked");
    let seen = views.get(&context.caller.sub).unwrap_or(&NOTHING_SEEN);
    context.answer(&server.portal.bundles_of(&context.caller, seen), Caching::Never)
}

async fn dashboard(State(server): State<Arc<Server>>, context: RequestContext) -> Outcome {
    let views = server.views.read().expect("no thread panicked");
    let seen = views.get(&context.caller.sub).unwrap_or(&NOTHING_SEEN);
    context.answer(&server.portal.managed_bundles_of(&context.caller, seen)?, Caching::Never)
}

async fn bundle(State(server): State<Arc<Server>>, context: RequestContext, Path(id): Path<String>) -> Outcome {
    let sub = &context.caller.sub;
    let (found, now_seen) = {
        let views = server.views.read().expect("no thread panicked");
        server.portal.bundle_for(&context.caller, &id, views.get(sub).unwrap_or(&NOTHING_SEEN))?
    };
    if let Some(deposits) = now_seen {
        server.views.write().expect("no thread panicked").entry(sub.clone()).or_default().insert(id, deposits);
    }
    context.answer(&found, Caching::Never)
}

async fn nothing() -> Reply {
    Problem::NoRoute.into()
}

async fn with_common_headers(request: Request, next: Next) -> Response {
    let given = request.headers().get(CORRELATION).and_then(|value| value.to_str().ok());
    let correlation = HeaderValue::try_from(correlation(given)).expect("hexadecimal, or what came as a header");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static(CORRELATION), correlation);
    for (name, value) in COMMON_HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

#[tokio::main]
async fn main() {
    let [_, document, keys, issuer, audience] = &args().collect::<Vec<_>>()[..] else {
        panic!("portail-axum DOCUMENT KEYS ISSUER AUDIENCE");
    };
    let read = |path| read_to_string(path).expect("the document and the keys are there");
    let server = Server {
        portal: Portal::read(&read(document)),
        tokens: Tokens::new(&read(keys), issuer, audience),
        views: Default::default(),
    };
    let routes = Router::new()
        .route("/api/app/objet-courrier", get(mail_objects))
        .route("/api/app/objet-courrier/{id}", get(mail_object))
        .route("/api/app/liasse", get(bundles))
        .route("/api/app/liasse/dashboard-list", get(dashboard))
        .route("/api/app/liasse/{id}", get(bundle))
        .fallback(nothing)
        .layer(from_fn(with_common_headers))
        .with_state(Arc::new(server));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    println!("listening on http://{}", listener.local_addr().expect("it is bound"));
    axum::serve(listener, routes).await.expect("it serves until it is ended");
}
