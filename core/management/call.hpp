// An endpoint of the management interface: the handler of one method of one route, called after the checks common to
// all (management.cpp). Any thread.
#pragma once

#include <string_view>

#include "core/audit/change_record.hpp"
#include "core/auth/caller.hpp"
#include "core/auth/key_source.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/language.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/management/host.hpp"
#include "core/management/settings.hpp"
#include "core/storage/format.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// The arguments of an endpoint. All references outlive the endpoint's Task. A streamed body may keep references to the
// store only.
struct ManagementCall {
  const Request& request;
  std::string_view query;  // of the target
  std::string_view id;     // the decoded segment of {id}; empty if the route has none
  const Author& author;    // of changes
  const ManagementSettings& settings;
  KeySource& keys;
  KeyValueStore& store;  // each operation has a deadline of its own
  ManagementHost& host;
  FormatState format = FormatState::absent;  // the layout of the store, when the call began
};

// A failure becomes a 500 or 503 answer.
using ManagementEndpoint = Task<Response> (*)(Context& context, const ManagementCall& call);

}  // namespace portail
