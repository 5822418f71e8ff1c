// Template files of mail objects, sent one by one for the next import.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/management/call.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// /manage/template-files/{id}: the template file of a mail object (docs/reference/management.md, "Import"). Any
// thread.

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

// Stores the file of a mail object, which need not exist yet; replaces an earlier deposit.
Task<void> deposit_template(Context& context, KeyValueStore& store, std::uint64_t mail_object, std::string_view bytes);
// Returns the deposit; nullopt if there is none. `stored_hash` is that of the stored file.
Task<std::optional<TemplateDeposit>> read_deposit(Context& context, KeyValueStore& store, std::uint64_t mail_object,
                                                  std::string_view stored_hash);
// Removes the deposit, unless another one has replaced it.
Task<void> remove_deposit(Context& context, KeyValueStore& store, const TemplateDeposit& deposit);

}  // namespace portail
