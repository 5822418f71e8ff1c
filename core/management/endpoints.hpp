// The endpoints of the management interface (docs/reference/management.md, "Calls"), except GET /manage/export
// (management.cpp), and the functions that they share. Each is in the file of its resource. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/http/response.hpp"
#include "core/management/call.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// POST /manage/import: imports the document that is the body (docs/reference/management.md, "Import"). Each parameter
// is true or false.

inline constexpr std::array<std::string_view, 5> import_parameters{"dryRun", "prune", "override", "allowEmptySections",
                                                                   "changes"};
Task<Response> post_import(Context& context, const ManagementCall& call);

// Returns the answer to a call that must wait for a running import. If the audit has its record already, `data` is
// {"import":{…}}: who began it, and when.
Task<Response> import_conflict(Context& context, KeyValueStore& store, std::string_view message);

// GET /manage/status and GET /manage/check: the state of a portal for operators.

// Reads a few values: the version, the layout of the store, the keys, and the last import.
Task<Response> get_status(Context& context, const ManagementCall& call);
// Reads the whole store, and counts its contents.
Task<Response> get_check(Context& context, const ManagementCall& call);

// GET /manage/audit: the records of the audit as JSON lines, as stored, oldest change first. If there are hidden ones,
// a last line has their number: {"hidden":1}.

inline constexpr std::array<std::string_view, 7> audit_parameters{"since",  "until",         "subject", "client",
                                                                  "action", "correlationId", "object"};
Task<Response> get_audit(Context& context, const ManagementCall& call);

// /manage/template-files/{id}: the template file of a mail object, sent for the next import
// (docs/reference/management.md, "Import").

// Returns the file that clients read, or 404.
Task<Response> get_template(Context& context, const ManagementCall& call);
// Deposits the body for the next import that has the mail object.
Task<Response> put_template(Context& context, const ManagementCall& call);

// A template file that was sent for the next import of its mail object, kept in the store beside the files that clients
// read (docs/reference/storage-layout.md, "Keys"). It replaces the file that was stored when it was sent, and no newer
// one; and it expires after a day. One thread at a time.
struct TemplateDeposit {
  std::uint64_t mail_object = 0;
  std::string head;                  // its stored value of part 0
  std::optional<std::string> bytes;  // nullopt: expired, incomplete, or the stored file is another one since
};

// Returns the hash of the stored file, a view of `stored`; empty without one.
std::string_view template_hash(const StoredMailObjects& stored, std::uint64_t mail_object);

// Returns the deposit; nullopt if there is none. `stored_hash` is that of the stored file.
Task<std::optional<TemplateDeposit>> read_deposit(Context& context, KeyValueStore& store, std::uint64_t mail_object,
                                                  std::string_view stored_hash);
// Removes the deposit, unless another one has replaced it.
Task<void> remove_deposit(Context& context, KeyValueStore& store, const TemplateDeposit& deposit);

// PUT /manage/keys: stores the key set of components without one.
Task<Response> put_keys(Context& context, const ManagementCall& call);

// GET /manage/openapi.json: the OpenAPI 3.1 document of the management interface, open_api.json, which the build
// embeds.
Task<Response> get_open_api(Context& context, const ManagementCall& call);

}  // namespace portail
