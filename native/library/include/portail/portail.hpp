// The library portail: its table of contents. It includes every public header and what these include; no other header
// is installed. docs/how-to/embed-in-a-cpp-program.md is the introduction.
//
//   find_package(portail REQUIRED COMPONENTS stores keys)
//   target_link_libraries(program PRIVATE portail::stores portail::keys)
//
// Each line below is a header and what it declares; the comment at the top of the header has the rules.
#pragma once

// portail::core. A request: Service answers a Request with a Response, in a Context, by a Task.
#include "core/api/service.hpp"    // Service; Settings and Transport
#include "core/base/context.hpp"   // Context, RandomSource, Log; RequestSuspension: a request waits without a thread
#include "core/base/task.hpp"      // Task, Result, Failure; run_ready() for stores that never suspend
#include "core/http/request.hpp"   // Request, HeaderView, ChunkSource: a body in chunks
#include "core/http/response.hpp"  // Response, Body
#include "core/settings/settings_check.hpp"  // read_transport(), values_of_list(): settings from text

// portail::core. Tokens: the keys that verify them, and what hosts that outlive a request cache.
#include "core/api/answer_cache.hpp"         // AnswerCache, BoundedAnswerCache
#include "core/auth/development_issuer.hpp"  // DevelopmentIssuer: tokens for a first portal
#include "core/auth/key_generator.hpp"       // generate_private_jwk(), verification_key_set()
#include "core/auth/key_set.hpp"             // KeySet, load_key_set()
#include "core/auth/key_source.hpp"          // KeySource, FixedKeys
#include "core/auth/request_limits.hpp"      // RequestLimits: rate limits of the host
#include "core/auth/token_cache.hpp"         // TokenCache, BoundedTokenCache
#include "core/auth/token_signer.hpp"        // SigningAlgorithm, SigningKey, sign_token(): for tests
#include "core/crypto/random_key.hpp"        // random_key(): of a TokenCache

// portail::core. Data: the interface of stores, a store in memory, import and export.
#include "core/exchange/export.hpp"          // export_document()
#include "core/exchange/import.hpp"          // import_text(); import_document()
#include "core/storage/edition.hpp"          // EditionStore: a cache for stores over a network
#include "core/storage/format.hpp"           // FormatCheckingStore: refuses the layout of a later version
#include "core/storage/key_value_store.hpp"  // KeyValueStore, Session: to be implemented for another store
#include "core/storage/memory_store.hpp"     // MemoryStore
#include "core/storage/simple_store.hpp"     // SimpleStore: the shortest base class of another store

// portail::system. The environment of requests in a process of Linux, for any number of threads.
#include "native/system/log.hpp"            // JsonLog
#include "native/system/shared_caches.hpp"  // SharedTokenCache, SharedAnswerCache
#include "native/system/system.hpp"         // SystemClock, SystemRandom

// portail::stores. LMDB, a folder of files, Redis, PostgreSQL.
#include "native/stores/store_url.hpp"  // parse_store_url(), open_store()

// portail::keys. Key sets that may change: a text, a file, a URL.
#include "native/keys/key_documents.hpp"    // TextDocument, FileDocument, RemoteDocument
#include "native/keys/refreshing_keys.hpp"  // RefreshingKeys, the KeySource of a document
