#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/exchange/import.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/request.hpp"
#include "core/json/writer.hpp"
#include "core/management/call.hpp"
#include "core/management/endpoints.hpp"
#include "core/portal/batch.hpp"
#include "core/portal/mail_object_id.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/template_file.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
namespace {

constexpr std::size_t max_template_size = ImportOptions{}.max_template_size;

Response no_such_id(std::string_view id) {
  return management_problem(404, "\"" + std::string(id) + "\" is not the id of a mail object: an integer from 0 on");
}

constexpr std::int64_t max_age_microseconds = std::int64_t{24} * 3600 * 1'000'000;

// The value of part 0: `size TAB hash TAB time TAB replaced`. The bytes follow in parts from 1 on.
struct DepositHead {
  std::uint64_t size = 0;
  std::string_view hash = {};
  std::int64_t time = 0;           // microseconds since 1970
  std::string_view replaced = {};  // the hash of the stored file at that time; empty without one
};

std::optional<DepositHead> parse_head(std::string_view value) {
  Fields fields(value);
  const auto size = parse_count(fields.next_or_empty());
  if (!size) return std::nullopt;
  DepositHead head{.size = *size, .hash = fields.next_or_empty()};
  head.time = static_cast<std::int64_t>(parse_count(fields.next_or_empty()).value_or(0));
  head.replaced = fields.next_or_empty();
  return head;
}

// Returns the keys of the parts from `first` on, at least 1, in the order of their removal.
Task<std::vector<std::string>> deposited_parts(Context& context, KeyValueStore& store, std::uint64_t mail_object,
                                               std::uint32_t first) {
  return stored_parts(context, store, first,
                      [mail_object](std::uint32_t part) { return template_deposit_key(mail_object, part); });
}

// Stores the file of a mail object, which need not exist yet; replaces an earlier deposit.
Task<void> deposit_template(Context& context, KeyValueStore& store, std::uint64_t mail_object, std::string_view bytes) {
  const std::uint32_t parts = count_template_parts(bytes.size());
  std::vector<std::string> keys;
  for (std::uint32_t part = 0; part <= parts; ++part) keys.push_back(template_deposit_key(mail_object, part));
  std::vector<Change> changes;
  for (std::uint32_t part = 0; part < parts; ++part) {
    changes.push_back({keys[part + 1], bytes.substr(std::size_t{part} * max_value_size, max_value_size)});
  }
  // The head is last: it makes the deposit complete.
  const StoredMailObjects stored = co_await read_mail_objects(context, store);
  std::string head = std::to_string(bytes.size()) + '\t' + lower_hex(blake2b(bytes)) + '\t' +
                     std::to_string(context.clock.now().microseconds) + '\t';
  head += template_hash(stored, mail_object);
  changes.push_back({keys[0], head});
  // Those of a larger file.
  const std::vector<std::string> obsolete = co_await deposited_parts(context, store, mail_object, parts + 1);
  for (const std::string& key : obsolete) changes.push_back({key, std::nullopt});
  co_await store.write(context, changes);
}

}  // namespace

std::string_view template_hash(const StoredMailObjects& stored, std::uint64_t mail_object) {
  const auto found = stored.objects.find(mail_object);
  return found != stored.objects.end() && found->second.template_file ? found->second.template_file->hash
                                                                      : std::string_view();
}

Task<Response> get_template(Context& context, const ManagementCall& call) {
  const auto id = parse_mail_object_id(call.id);
  if (!id) co_return no_such_id(call.id);
  const StoredMailObjects stored = co_await read_mail_objects(context, call.store);
  const auto found = stored.objects.find(*id);
  if (found == stored.objects.end() && !stored.missing.empty()) co_await std::unexpected(Failure::corrupt);
  if (found == stored.objects.end() || !found->second.template_file) {
    co_return management_problem(404, "the mail object " + std::to_string(*id) + " has no template file");
  }
  const auto& file = *found->second.template_file;
  Response response = streamed_answer(
      file.media_type,
      std::make_unique<TemplateFileSource>(co_await call.store.open(context), *id, file.size, file.hash));
  response.streamed_length = file.size;
  co_return response;
}

Task<Response> put_template(Context& context, const ManagementCall& call) {
  const auto id = parse_mail_object_id(call.id);
  if (!id) co_return no_such_id(call.id);
  if (is_content_coded(call.request)) co_return management_problem(415, "Content-Encoding must be absent");
  const auto bytes = co_await read_body(context, call.request, max_template_size);
  if (!bytes) {
    co_return management_problem(413,
                                 "the template file is larger than " + std::to_string(max_template_size) + " bytes");
  }
  if (bytes->empty()) co_return management_problem(422, "the template file is empty");
  std::string summary;
  JsonWriter json(summary);
  json.begin_object().name("objetCourrier").integer(static_cast<std::int64_t>(*id));
  json.name("size").integer(static_cast<std::int64_t>(bytes->size()));
  json.name("hash").string(lower_hex(blake2b(*bytes))).end_object();
  co_await record_change(context, call.store, AuditAction::template_file, call.author, "file", summary);
  co_await deposit_template(context, call.store, *id, *bytes);
  co_return json_answer(std::move(summary));
}

Task<std::optional<TemplateDeposit>> read_deposit(Context& context, KeyValueStore& store, std::uint64_t mail_object,
                                                  std::string_view stored_hash) {
  auto value = co_await read_value(context, store, template_deposit_key(mail_object, 0));
  if (!value) co_return std::nullopt;
  TemplateDeposit deposit{.mail_object = mail_object, .head = std::move(*value), .bytes = std::nullopt};
  const auto head = parse_head(deposit.head);
  const bool is_of_stored_file = head && (head->replaced == stored_hash || head->hash == stored_hash);
  if (!is_of_stored_file || context.clock.now().microseconds - head->time > max_age_microseconds) co_return deposit;
  Batch batch;
  const std::uint32_t parts = count_template_parts(head->size);
  for (std::uint32_t part = 0; part < parts; ++part) batch.add(template_deposit_key(mail_object, part + 1));
  const auto session = co_await store.open(context);
  co_await batch.fetch(context, *session);
  std::string bytes;
  for (std::uint32_t part = 0; part < parts; ++part) bytes += batch[part].value_or("");
  if (lower_hex(blake2b(bytes)) == head->hash) deposit.bytes = std::move(bytes);
  co_return deposit;
}

Task<void> remove_deposit(Context& context, KeyValueStore& store, const TemplateDeposit& deposit) {
  std::vector<std::string> keys = co_await deposited_parts(context, store, deposit.mail_object, 1);
  keys.push_back(template_deposit_key(deposit.mail_object, 0));
  if (co_await read_value(context, store, keys.back()) != deposit.head) co_return;
  std::vector<Change> changes;
  for (const std::string& key : keys) changes.push_back({key, std::nullopt});
  co_await store.write(context, changes);
}

}  // namespace portail
