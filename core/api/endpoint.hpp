// What an endpoint is: the code behind one method of one route. It is called after everything that is common to all
// routes was decided (core/service.cpp), and answers for its own resource only. Any thread.
#pragma once

#include <string_view>

#include "core/auth/caller.hpp"
#include "core/auth/key_source.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/language.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/http/target.hpp"
#include "core/settings.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// One request on its way to its endpoint. Everything it refers to outlives the endpoint's Task; a
// body that is streamed afterwards may keep the store, and nothing else of it.
struct Call {
  const Request& request;
  const Target& target;
  std::string_view id;   // the decoded segment that stands for {id}; empty where the route has none
  const Caller* caller;  // null for an anonymous caller, which only open routes see
  Language language;
  const Settings& settings;
  KeySource& keys;
  KeyValueStore& store;
  // What the log and the audit say of this request; an endpoint adds what only it can know.
  RequestSummary& summary;
};

// A failure becomes a 500 or 503 answer.
using Endpoint = Task<Response> (*)(Context& context, const Call& call);

}  // namespace portail
