#include "native/export/export_values.hpp"

#include <optional>
#include <string>

#include <sodium.h>

#include "core/base/text.hpp"
#include "core/storage/edition.hpp"
#include "core/storage/key.hpp"
#include "core/storage/key_value_store.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
namespace {

// Quotes a text for SQL, with quotes doubled.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') out += c;
    out += c;
  }
  return out += '\'';
}

std::string base64(std::string_view bytes) {
  std::string out(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();  // the terminating zero of libsodium
  return out;
}

std::string bulk_string(std::string_view bytes) {
  return ('$' + std::to_string(bytes.size()) + "\r\n").append(bytes).append("\r\n");
}

// Creates the table as Spin does, for a Spin that has not run yet.
constexpr std::string_view spin_prologue =
    "BEGIN;\n"
    "CREATE TABLE IF NOT EXISTS spin_key_value (store TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, "
    "PRIMARY KEY (store, key));\n";

class ValueWriter final : public Visitor {
 public:
  ValueWriter(ValueFormat format, std::string_view label, ExportSink& sink)
      : format_(format), label_(quoted(label)), sink_(sink) {}

  // A store may hold values of other programs.
  bool visit(std::string_view key, std::string_view value) override {
    return !is_key(key) || (key == configuration_key && is_loaded_one_by_one()) || write(key, value);
  }
  bool write(std::string_view key, std::string_view value) { return write(entry(key, value)); }
  bool write(std::string_view text) {
    is_writing_ = sink_.write(text);
    return is_writing_;
  }
  [[nodiscard]] bool is_writing() const { return is_writing_; }
  // Whether a server may read values while they are loaded.
  [[nodiscard]] bool is_loaded_one_by_one() const { return format_ == ValueFormat::redis; }

 private:
  // Keys need no escape in JSON and SQL: core/storage/key.hpp.
  [[nodiscard]] std::string entry(std::string_view key, std::string_view value) const {
    switch (format_) {
      case ValueFormat::spin_sqlite:
        return "INSERT OR REPLACE INTO spin_key_value VALUES(" + label_ + ',' + quoted(key) + ",X'" + lower_hex(value) +
               "');\n";
      case ValueFormat::redis:
        return "*3\r\n" + bulk_string("SET") + bulk_string(key) + bulk_string(value);
      case ValueFormat::json_lines:
        break;
    }
    return std::string(R"({"key":")").append(key).append(R"(","value":")").append(base64(value)).append("\"}\n");
  }

  ValueFormat format_;
  std::string label_;
  ExportSink& sink_;
  bool is_writing_ = true;
};

}  // namespace

Task<bool> export_values(Context& context, KeyValueStore& store, const DataState& state, ValueFormat format,
                         std::string_view label, ExportSink& sink) {
  ValueWriter writer(format, label, sink);
  const bool is_sql = format == ValueFormat::spin_sqlite;
  if (is_sql) writer.write(spin_prologue);
  std::optional<std::string> configuration;
  if (writer.is_loaded_one_by_one()) {
    configuration = co_await read_value(context, store, configuration_key);
    // Its edition vouches for the other values: it is complete after them.
    if (configuration) writer.write(configuration_key, incomplete_configuration(*configuration));
  }
  if (writer.is_writing()) co_await store.scan(context, "", writer);
  if (writer.is_writing() && co_await read_data_state(context, store) != state) co_return false;
  if (configuration && writer.is_writing()) writer.write(configuration_key, *configuration);
  if (is_sql && writer.is_writing()) writer.write("COMMIT;\n");
  if (!writer.is_writing()) co_await std::unexpected(Failure::cancelled);
  co_return true;
}

}  // namespace portail
