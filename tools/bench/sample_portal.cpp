#include "tools/bench/sample_portal.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "core/exchange/import.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/tokens.hpp"

namespace portail {
namespace {

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "the portal to measure: %s\n", why.c_str());
  std::exit(1);
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path.string() + ": cannot be read");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

std::unique_ptr<SamplePortal> load_portal(const std::string& document) {
  auto portal = std::make_unique<SamplePortal>();
  TestContext test;
  std::map<std::string, std::string, std::less<>> templates;
  std::error_code without_templates;
  const std::filesystem::path folder = std::filesystem::path(document).parent_path() / "modeles";
  for (const auto& file : std::filesystem::directory_iterator(folder, without_templates)) {
    templates.emplace("modeles/" + file.path().filename().string(), contents(file.path()));
  }
  const auto report = import_text(test.context, portal->store, contents(document), std::move(templates));
  if (!report) fail("the import failed");
  if (report->fault_count > 0) fail(report->faults.front());
  Settings settings;
  settings.tokens = test_token_settings();
  portal->service = std::make_unique<Service>(std::move(settings), test_key_set(), portal->store);
  return portal;
}

}  // namespace portail
