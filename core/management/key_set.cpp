#include "core/management/key_set.hpp"

#include <array>
#include <span>
#include <string>
#include <utility>

#include "core/http/request.hpp"
#include "core/json/writer.hpp"
#include "core/management/call.hpp"
#include "core/management/endpoints.hpp"
#include "core/management/operation_deadlines.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// Returns {"usable":1,"kids":["one"],"remarks":["keys[1] …: …"]}. `kids` are those of the usable keys.
std::string summary_of(const LoadedKeySet& loaded) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("usable").integer(static_cast<std::int64_t>(loaded.keys.size()));
  json.name("kids").begin_array();
  for (const VerificationKey& key : loaded.keys.keys()) json.string(key.kid);
  json.end_array().name("remarks").begin_array();
  for (const auto* diagnostics : {&loaded.refusals, &loaded.notices}) {
    for (const KeyDiagnostic& diagnostic : *diagnostics) json.string(describe(diagnostic));
  }
  json.end_array().end_object();
  return text;
}

Task<void> write_keys(Context& context, KeyValueStore& store, const LoadedKeySet& loaded, std::string_view text,
                      const Author& author) {
  co_await record_change(context, store, AuditAction::keys, author, "keySet", summary_of(loaded));
  const std::array changes{Change{stored_key_set_key, text}};
  co_await store.write(context, changes);
}

}  // namespace

std::optional<std::string> private_key_fault(const LoadedKeySet& loaded) {
  if (loaded.notices.empty()) return std::nullopt;
  KeyDiagnostic first = loaded.notices.front();
  first.text = "it has private members, which must not be stored: send public keys only (portail keys public)";
  return describe(first);
}

Task<void> store_keys(Context& context, ImportLease& lease, const LoadedKeySet& loaded, std::string_view text,
                      const Author& author) {
  OperationDeadlines store(lease.store());
  const auto stored = co_await outcome(write_keys(context, store, loaded, text, author));
  co_await outcome(lease.release(context));  // if it fails, the lock expires
  co_await stored;
}

Task<Response> put_keys(Context& context, const ManagementCall& call) {
  if (auto refusal = media_type_refusal(call.request)) co_return std::move(*refusal);
  const auto text = co_await read_body(context, call.request, max_value_size);
  if (!text) {
    co_return management_problem(413, "the key set is larger than " + std::to_string(max_value_size) + " bytes");
  }
  const auto loaded = load_key_set(*text);
  if (!loaded) co_return management_problem(422, "the key set cannot be used: " + loaded.error());
  if (auto fault = private_key_fault(*loaded)) co_return management_problem(422, *fault);
  std::string summary = summary_of(*loaded);
  if (loaded->keys.empty()) co_return management_problem(422, "no key of the set is usable", summary);
  auto lease = co_await call.host.lock_import(context, call.author);
  if (!lease) co_return co_await import_conflict(context, call.store, lease.error());
  co_await store_keys(context, **lease, *loaded, *text, call.author);
  co_return json_answer(std::move(summary));
}

}  // namespace portail
