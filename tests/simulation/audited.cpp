#include "tests/simulation/audited.hpp"

#include <gtest/gtest.h>

#include "core/audit/trail.hpp"
#include "core/json/reader.hpp"
#include "tests/support/test_context.hpp"

namespace portail::simulation {
namespace {

struct Reader final : AuditVisitor {
  bool visit(AuditName name, std::string_view record) override {
    keys.insert(audit_key(name));
    const auto document = parse_json(record);
    const auto object = document ? object_of(document->root()) : std::nullopt;
    const auto action = object ? member(*object, "action") : std::nullopt;
    EXPECT_TRUE(action) << record;
    if (!action || string_of(*action) != "update") return true;
    const auto id = member(*object, "correlationId");
    requests.emplace_back(id ? string_of(*id).value_or("") : "");
    return true;
  }
  std::set<std::string> keys;
  std::vector<std::string> requests;
};

Reader read(KeyValueStore& store) {
  Reader reader;
  TestContext test;
  EXPECT_TRUE(run_ready(read_audit_trail(test.context, store, reader)));
  return reader;
}

}  // namespace

std::set<std::string> audited_keys(KeyValueStore& store) { return read(store).keys; }
std::vector<std::string> audited_requests(KeyValueStore& store) { return read(store).requests; }

}  // namespace portail::simulation
