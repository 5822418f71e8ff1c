#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/exchange/contents.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "core/management/call.hpp"
#include "core/management/endpoints.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/format.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// The last import, from the audit.
struct LastImport {
  std::string record;        // its JSON object, as stored
  bool is_finished = false;  // false: it runs, or was interrupted
};

// Returns the last import among the last hundred changes of `configuration`; nullopt if there is none.
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

std::string_view name_of(FormatState state) {
  switch (state) {
    case FormatState::absent:
      return "empty";
    case FormatState::older_minor:
    case FormatState::current:
      return "current";
    case FormatState::newer_minor:
      return "newer minor";
    case FormatState::newer:
      return "newer";
    case FormatState::unknown:
      return "unknown";
  }
  return {};
}

std::int64_t usable_keys(KeySource& keys) {
  const SharedKeySet current = keys.current();
  return current ? static_cast<std::int64_t>(current->size()) : 0;
}

JsonWriter& begin(JsonWriter& json, const ManagementCall& call) {
  json.begin_object().name("version").string(call.settings.version);
  json.name("draining").boolean(call.request.draining).name("format").string(name_of(call.format));
  return json.name("usableKeys").integer(usable_keys(call.keys));
}

}  // namespace

Task<Response> import_conflict(Context& context, KeyValueStore& store, std::string_view message) {
  const auto last = co_await outcome(read_last_import(context, store));
  if (!last || !*last || (*last)->is_finished) co_return management_problem(409, message);
  co_return management_problem(409, message, "{\"import\":" + (*last)->record + '}');
}

Task<Response> get_status(Context& context, const ManagementCall& call) {
  std::string text;
  JsonWriter json(text);
  begin(json, call).name("lastImport");
  const auto last = is_readable(call.format) ? co_await read_last_import(context, call.store) : std::nullopt;
  if (last) {
    json.raw(last->record);
  } else {
    json.null();
  }
  json.end_object();
  co_return json_answer(std::move(text));
}

Task<Response> get_check(Context& context, const ManagementCall& call) {
  const StoreContents contents = co_await count_contents(context, call.store);
  std::string text;
  JsonWriter json(text);
  const auto count = [&json](std::string_view name, std::uint64_t value) {
    json.name(name).integer(static_cast<std::int64_t>(value));
  };
  begin(json, call);
  count("mailObjects", contents.of(Section::mail_objects));
  count("templateFiles", contents.template_files);
  count("thirdParties", contents.of(Section::third_parties));
  count("bundles", contents.of(Section::bundles));
  count("grants", contents.of(Section::grants));
  count("auditRecords", contents.audit_records);
  json.name("sharedTypeCodes").begin_array();
  for (const SharedTypeCode& shared : contents.shared_type_codes) {
    json.begin_object().name("typeObjet").raw(shared.code).name("objetsCourrier").begin_array();
    for (const std::uint64_t id : shared.ids) json.integer(static_cast<std::int64_t>(id));
    json.end_array().end_object();
  }
  json.end_array().end_object();
  co_return json_answer(std::move(text));
}

}  // namespace portail
