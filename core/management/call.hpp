// The call of an endpoint of the management interface: its arguments, the forms of its answer, and its audit record.
// Any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/audit/audit_record.hpp"
#include "core/auth/caller.hpp"
#include "core/auth/key_source.hpp"
#include "core/auth/token_settings.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/http/transport.hpp"
#include "core/management/spool.hpp"
#include "core/storage/format.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// What a host provides to the management interface. Any thread.

// The lock of one import, while it is held. It is released at the latest when this is destroyed. One thread at a time.
class ImportLease {
 public:
  virtual ~ImportLease() = default;
  // The store through which the import reads and writes: after the lock is lost, changes fail.
  virtual KeyValueStore& store() = 0;
  virtual Task<void> release(Context& context) = 0;
};

class ManagementHost {
 public:
  virtual ~ManagementHost() = default;
  // Returns an empty spool.
  virtual std::unique_ptr<Spool> new_spool() = 0;
  // Acquires the lock that allows one import at a time, for an import of `author`. The error is one line: another
  // import holds it, or it cannot be acquired.
  virtual Task<std::expected<std::unique_ptr<ImportLease>, std::string>> lock_import(Context& context,
                                                                                     const Author& author) = 0;
};

// The settings of the management interface, as plain values (docs/reference/management.md).

struct ManagementSettings {
  TokenSettings tokens;
  Transport transport = Transport::direct;
  std::vector<std::string> administrators;                            // subjects that need no permission in their token
  std::uint64_t max_document_size = std::uint64_t{64} * 1024 * 1024;  // bytes of an import's document
  std::int64_t audit_retention = 365;                                 // days; after it an import removes records
  std::string version;                                                // of the program, for /manage/status
};

// An endpoint of the management interface: the handler of one method of one route, called after the checks common to
// all (management.cpp). Any thread.

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

// The answers of the management interface. Its messages are English. Any thread.

// An error in the form of the public interface: {"error":{"code":null,"message":"…","data":{},…}}. `data` is a JSON
// object.
Response management_problem(int status, std::string_view message, std::string_view data = "{}");

Response json_answer(std::string json, int status = 200);
// Streams JSON objects, one a line (application/x-ndjson), or a document.
Response streamed_answer(std::string_view content_type, std::unique_ptr<ChunkSource> body);

inline constexpr std::string_view json_lines_content_type = "application/x-ndjson; charset=utf-8";

// Returns the refusal of a body that is not JSON, or is compressed: 415; nullopt if it is JSON.
std::optional<Response> media_type_refusal(const Request& request);

// The check of a query's parameters, the same for all routes of the management interface. Any thread.

// Returns a message about the first parameter that is not one of `known`, has no value or is repeated; nullopt if there
// is none. An ignored parameter would be dangerous: with a mistyped dryRun an import changes the store.
std::optional<std::string> parameter_fault(std::string_view query, std::span<const std::string_view> known);

// Writes the audit record of a call that changes nothing, or fails: "id":…,"query":…,"status":…. `id` is the decoded
// segment of {id}, null in the record unless it is the id of a mail object; `query` is that of the target. Only the
// value config.audit names the record: it moves neither an entity tag nor the revision of a folder. A store with the
// layout of a later version gets none. One thread at a time.
Task<void> record_call(Context& context, KeyValueStore& store, const Author& author, std::string_view id,
                       std::string_view query, int status);

// Writes the record of a change, other than an import, that follows: "name":value, where `value` is JSON. The value
// `configuration` names it, as it names those of imports.
Task<void> record_change(Context& context, KeyValueStore& store, AuditAction action, const Author& author,
                         std::string_view name, std::string_view value);

}  // namespace portail
