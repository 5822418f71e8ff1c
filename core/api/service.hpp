// The entry point of the core. A Service is immutable and is called from many threads concurrently, each request with
// its own Context. It must outlive every Task that it returned; the store and the key source must outlive it.
#pragma once

#include <optional>

#include "core/api/routes.hpp"
#include "core/api/settings.hpp"
#include "core/auth/key_source.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class Service {
 public:
  // While `keys` has no usable key, requests with a token get 503.
  Service(Settings settings, KeySource& keys, KeyValueStore& store);

  // Answers every request, also a malformed one. The Task never fails: a failure becomes a 500 or 503 Response. A body
  // that is a ChunkSource must be pulled with the same Context. Destroying the Task cancels the request; a write that
  // has begun completes.
  Task<Response> handle(Context& context, const Request& request) const;

  // Returns the answer to a request that an overloaded host sheds: 503 with Retry-After, or the usual answer to a CORS
  // preflight. Token, body and store are not read. nullopt: a health probe, which the host must handle.
  std::optional<Response> shed(Context& context, const Request& request) const;

  // Adds the headers of every answer, also to an answer that the host created.
  [[nodiscard]] Response finish(Response response, const Request& request, RequestSummary summary) const;

 private:
  Task<Response> decide(Context& context, const Request& request, RequestSummary& summary) const;
  Task<Response> answer(Context& context, const Request& request, const Target& target, std::optional<FoundRoute> found,
                        const Caller* caller, Language language, RequestSummary& summary) const;

  Settings settings_;
  KeySource* keys_;
  KeyValueStore* store_;
};

}  // namespace portail
