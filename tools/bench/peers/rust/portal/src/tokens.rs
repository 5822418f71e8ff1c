use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use serde::{Deserialize, Deserializer};

use crate::Problem;

/// The caller by the claims of a token.
#[derive(Deserialize)]
pub struct Caller {
    pub sub: String,
    #[serde(default, deserialize_with = "one_or_many")]
    pub role: Vec<String>,
    #[serde(default)]
    pub permissions: Vec<String>,
    exp: u64,
}

const MAX_CACHED_TOKENS: usize = 1000;

/// Verifies tokens, and caches verified ones until they expire.
pub struct Tokens {
    key: DecodingKey,
    validation: Validation,
    cache: RwLock<HashMap<String, Arc<Caller>>>,
}

impl Tokens {
    /// `keys`: the public key set, with one key for EdDSA.
    pub fn new(keys: &str, issuer: &str, audience: &str) -> Self {
        let keys: JwkSet = serde_json::from_str(keys).expect("the key set is one in JSON");
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_issuer(&[issuer]);
        validation.set_audience(&[audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.leeway = 0;
        let key = DecodingKey::from_jwk(&keys.keys[0]).expect("the key is one for EdDSA");
        Self { key, validation, cache: Default::default() }
    }

    /// `authorization`: the header of that name.
    pub fn verify(&self, authorization: Option<&str>) -> Result<Arc<Caller>, Problem> {
        let (scheme, token) = authorization.and_then(|text| text.split_once(' ')).ok_or(Problem::NoToken)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Problem::NoToken);
        }
        if let Some(caller) = self.cache.read().expect("no thread panicked").get(token) {
            if caller.exp > now() {
                return Ok(caller.clone());
            }
        }
        let data = decode::<Caller>(token, &self.key, &self.validation).map_err(|_| Problem::BadToken)?;
        let caller = Arc::new(data.claims);
        let mut cache = self.cache.write().expect("no thread panicked");
        if cache.len() >= MAX_CACHED_TOKENS {
            cache.clear();
        }
        cache.insert(token.into(), caller.clone());
        Ok(caller)
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later than 1970").as_secs()
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(text) => vec![text],
        OneOrMany::Many(texts) => texts,
    })
}
