#include "tools/bench/sample_portal.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "core/exchange/import.hpp"
#include "core/exchange/import_text.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/tokens.hpp"

namespace portail {
namespace {

std::expected<std::string, std::string> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected("no such file");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "the portal to measure: %s\n", why.c_str());
  std::exit(1);
}

// The document and its template files, in the same directory.
class FileInput final : public ImportInput {
 public:
  explicit FileInput(const std::string& path) : folder_(path.substr(0, path.rfind('/'))) {
    auto document = contents(path);
    if (!document) fail(path + ": " + document.error());
    document_ = std::move(*document);
  }
  Task<void> rewind(Context&) override {
    is_read_ = false;
    co_return;
  }
  Task<std::optional<std::string_view>> next(Context&) override {
    if (std::exchange(is_read_, true)) co_return std::nullopt;
    co_return std::string_view(document_);
  }
  Task<std::expected<std::string, std::string>> read_template(Context&, std::uint64_t, std::string_view path,
                                                              std::size_t) override {
    co_return contents(folder_ + "/" + std::string(path));
  }

 private:
  std::string folder_;
  std::string document_;
  bool is_read_ = false;
};

}  // namespace

std::unique_ptr<SamplePortal> load_portal(const std::string& document) {
  auto portal = std::make_unique<SamplePortal>();
  TestContext test;
  FileInput input(document);
  IgnoredProgress progress;
  const auto report = run_ready(import_document(test.context, portal->store, input, {}, progress));
  if (!report) fail("the import failed");
  if (report->fault_count > 0) fail(report->faults.front());
  Settings settings;
  settings.tokens = test_token_settings();
  portal->service = std::make_unique<Service>(std::move(settings), test_key_set(), portal->store);
  return portal;
}

}  // namespace portail
