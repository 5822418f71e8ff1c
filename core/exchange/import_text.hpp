// Imports a document from a string. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/exchange/import.hpp"

namespace portail {

// A document in one chunk, and its template files by `chemin`.
class TextInput final : public ImportInput {
 public:
  explicit TextInput(std::string_view document, std::map<std::string, std::string, std::less<>> templates = {})
      : document_(document), templates_(std::move(templates)) {}

  Task<void> rewind(Context&) override {
    is_read_ = false;
    co_return;
  }
  Task<std::optional<std::string_view>> next(Context&) override {
    if (std::exchange(is_read_, true) || document_.empty()) co_return std::nullopt;
    co_return document_;
  }
  Task<std::expected<std::string, std::string>> read_template(Context&, std::uint64_t, std::string_view path,
                                                              std::size_t) override {
    const auto found = templates_.find(path);
    if (found == templates_.end()) co_return std::expected<std::string, std::string>(std::unexpected("no such file"));
    co_return std::expected<std::string, std::string>(found->second);
  }

 private:
  std::string_view document_;
  std::map<std::string, std::string, std::less<>> templates_;
  bool is_read_ = false;
};

// For stores that never suspend. `document` and the templates' bytes must live until this returns.
inline Result<ImportReport> import_text(Context& context, KeyValueStore& store, std::string_view document,
                                        std::map<std::string, std::string, std::less<>> templates = {},
                                        const ImportOptions& options = {}) {
  TextInput input(document, std::move(templates));
  IgnoredProgress progress;
  return run_ready(import_document(context, store, input, options, progress));
}

}  // namespace portail
