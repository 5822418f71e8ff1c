// The one door of the core. A Service is immutable once built and called from many threads at once, each request with
// its own Context. It outlives every Task it gave out; the store and the key source outlive it.
#pragma once

#include <optional>

#include "core/api/routes.hpp"
#include "core/auth/key_source.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/settings.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class Service {
 public:
  // As long as `keys` has no key that can be used, the service answers 503 where a token was sent.
  Service(Settings settings, KeySource& keys, KeyValueStore& store);

  // Answers every request, the malformed too; the Task never fails (a failure becomes a 500 or 503 Response). A body
  // that is a ChunkSource is pulled with the same Context. Destroying the Task cancels the request; a write that was
  // begun completes.
  Task<Response> handle(Context& context, const Request& request) const;

  // The answer to a request that the host has no room for, made without a look at its token, its body or the store: 503
  // with Retry-After; to a CORS preflight its own, which costs no more. nullopt: a probe of health, to be handled.
  std::optional<Response> shed(Context& context, const Request& request) const;

  // Adds what every answer has, also one that the host made.
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
