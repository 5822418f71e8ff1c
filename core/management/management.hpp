// The entry point of the management interface (docs/reference/management.md): import, export, audit, check, status,
// keys and template files over HTTP, apart from the public interface. Immutable; called from many threads concurrently,
// each request with its own Context. It must outlive every Task that it returned; all references must outlive it.
#pragma once

#include <optional>

#include "core/auth/key_source.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/management/call.hpp"
#include "core/management/operation_deadlines.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class Management {
 public:
  Management(ManagementSettings settings, ManagementHost& host, KeySource& keys, KeyValueStore& store);

  // Answers every request, also a malformed one. The Task never fails. A body that is a ChunkSource must be pulled with
  // the same Context. Destroying the Task cancels the request: an import then leaves what an interrupted one leaves.
  Task<Response> handle(Context& context, const Request& request) const;

 private:
  // Returns the refusal of a request without a valid token or the permission. Sets the subject and client of `summary`.
  Task<std::optional<Response>> authorize(Context& context, const Request& request, RequestSummary& summary) const;
  Task<Response> decide(Context& context, const Request& request, RequestSummary& summary) const;

  ManagementSettings settings_;
  ManagementHost& host_;
  KeySource& keys_;
  mutable OperationDeadlines store_;
};

}  // namespace portail
