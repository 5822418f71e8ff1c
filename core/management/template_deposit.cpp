#include "core/management/template_deposit.hpp"

#include <memory>
#include <span>
#include <vector>

#include "core/base/hexadecimal.hpp"
#include "core/crypto/hash.hpp"
#include "core/portal/batch.hpp"
#include "core/portal/records/fields.hpp"
#include "core/portal/template_file.hpp"
#include "core/storage/key.hpp"
#include "core/storage/stored_parts.hpp"

namespace portail {
namespace {

// The value of part 0: `size TAB hash`. The bytes follow in parts from 1 on.
struct DepositHead {
  std::uint64_t size = 0;
  std::string hash;
};

std::optional<DepositHead> parse_head(std::string_view value) {
  Fields fields(value);
  const auto size = parse_count(fields.next_or_empty());
  if (!size) return std::nullopt;
  return DepositHead{.size = *size, .hash = std::string(fields.next_or_empty())};
}

Task<std::optional<DepositHead>> read_head(Context& context, Session& session, std::uint64_t mail_object) {
  const std::string key = template_deposit_key(mail_object, 0);
  const std::string_view name = key;
  Value value;
  co_await session.get(context, std::span(&name, 1), std::span(&value, 1));
  co_return value ? parse_head(*value) : std::nullopt;
}

// Returns the keys of the parts from `first` on, at least 1, in the order of their removal.
Task<std::vector<std::string>> deposited_parts(Context& context, KeyValueStore& store, std::uint64_t mail_object,
                                               std::uint32_t first) {
  return stored_parts(context, store, first,
                      [mail_object](std::uint32_t part) { return template_deposit_key(mail_object, part); });
}

}  // namespace

Task<void> deposit_template(Context& context, KeyValueStore& store, std::uint64_t mail_object, std::string_view bytes) {
  const std::uint32_t parts = count_template_parts(bytes.size());
  std::vector<std::string> keys;
  for (std::uint32_t part = 0; part <= parts; ++part) keys.push_back(template_deposit_key(mail_object, part));
  std::vector<Change> changes;
  for (std::uint32_t part = 0; part < parts; ++part) {
    changes.push_back({keys[part + 1], bytes.substr(std::size_t{part} * max_value_size, max_value_size)});
  }
  // The head is last: it makes the deposit complete.
  const std::string head = std::to_string(bytes.size()) + '\t' + lower_hex(blake2b(bytes));
  changes.push_back({keys[0], head});
  // Those of a larger file.
  const std::vector<std::string> obsolete = co_await deposited_parts(context, store, mail_object, parts + 1);
  for (const std::string& key : obsolete) changes.push_back({key, std::nullopt});
  co_await store.write(context, changes);
}

Task<std::optional<std::string>> read_deposit(Context& context, KeyValueStore& store, std::uint64_t mail_object) {
  const auto session = co_await store.open(context);
  const auto head = co_await read_head(context, *session, mail_object);
  if (!head) co_return std::nullopt;
  Batch batch;
  const std::uint32_t parts = count_template_parts(head->size);
  for (std::uint32_t part = 0; part < parts; ++part) batch.add(template_deposit_key(mail_object, part + 1));
  co_await batch.fetch(context, *session);
  std::string bytes;
  for (std::uint32_t part = 0; part < parts; ++part) bytes += batch[part].value_or("");
  if (lower_hex(blake2b(bytes)) != head->hash) co_return std::nullopt;
  co_return bytes;
}

Task<void> remove_deposit(Context& context, KeyValueStore& store, std::uint64_t mail_object) {
  std::vector<std::string> keys = co_await deposited_parts(context, store, mail_object, 1);
  keys.push_back(template_deposit_key(mail_object, 0));
  std::vector<Change> changes;
  for (const std::string& key : keys) changes.push_back({key, std::nullopt});
  co_await store.write(context, changes);
}

}  // namespace portail
