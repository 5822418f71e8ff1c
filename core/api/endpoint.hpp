// An endpoint: the handler of one method of one route. It is called after the checks common to all routes
// (core/api/service.cpp). Any thread.
#pragma once

#include <string_view>

#include "core/api/settings.hpp"
#include "core/auth/caller.hpp"
#include "core/auth/key_source.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/http/target.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// The arguments of an endpoint. All references outlive the endpoint's Task. A streamed body may keep a reference to the
// store only.
struct Call {
  const Request& request;
  const Target& target;
  std::string_view id;   // the decoded segment of {id}; empty if the route has none
  const Caller* caller;  // null for an anonymous caller, on open routes only
  Language language;
  const Settings& settings;
  KeySource& keys;
  KeyValueStore& store;
  // Data for the log and the audit; endpoints add their own.
  RequestSummary& summary;
};

// The handler of a request. A failure becomes a 500 or 503 answer.
using Endpoint = Task<Response> (*)(Context& context, const Call& call);

}  // namespace portail
