#include "core/management/last_import.hpp"

#include <memory>
#include <span>
#include <string_view>

#include "core/json/reader.hpp"
#include "core/management/answers.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key.hpp"

namespace portail {

Task<std::optional<LastImport>> read_last_import(Context& context, KeyValueStore& store) {
  constexpr int max_records = 100;
  const auto session = co_await store.open(context);
  const auto read = [&](std::string_view key) -> Task<Value> {
    Value value;
    co_await session->get(context, std::span(&key, 1), std::span(&value, 1));
    co_return value;
  };
  auto name = (co_await read_audited_value((co_await read(configuration_key)).value_or(""))).last;
  for (int visited = 0; name && visited < max_records; ++visited) {
    const std::string key = audit_key(*name);
    const Value record = co_await read(key);
    const auto document = parse_json(record.value_or(""));
    const auto object = document ? object_of(document->root()) : std::nullopt;
    if (!object) co_return std::nullopt;
    if (string_member(*object, "action") == "import") {
      co_return LastImport{.record = std::string(*record),
                           .is_finished = string_member(*object, "finished").has_value()};
    }
    name = audit_name_of(string_member(*object, "previous").value_or(""));
  }
  co_return std::nullopt;
}

Task<Response> import_conflict(Context& context, KeyValueStore& store, std::string_view message) {
  const auto last = co_await outcome(read_last_import(context, store));
  if (!last || !*last || (*last)->is_finished) co_return management_problem(409, message);
  co_return management_problem(409, message, "{\"import\":" + (*last)->record + '}');
}

}  // namespace portail
