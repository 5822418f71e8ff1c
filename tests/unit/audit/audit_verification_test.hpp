// A portal with an audit trail of every chain, and its verification after writes, erasures and attacks. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/audit/audit_state.hpp"
#include "core/audit/verification.hpp"
#include "core/exchange/steps/swap_configurations.hpp"
#include "core/privacy/person.hpp"
#include "core/storage/key_value_store.hpp"
#include "tests/unit/exchange/importing.hpp"

namespace portail {

class AuditVerificationTest : public testing::Test {
 protected:
  AuditVerificationTest() {
    import(small_document);
    put(1);
    put(2);
    call();
    call();
    call();
  }

  void import(std::string_view document) { portal.import(document, {}, small_templates()); }
  // What a PUT by a subject of that number stores.
  void put(int number) {
    const std::string subject = "sub-" + std::to_string(number);
    ASSERT_TRUE(run_ready(
        swap_configurations(portal.test.context, portal.memory, [&](Configurations& configurations) -> Task<void> {
          const AuditLink link = co_await read_link(portal.test.context, portal.memory, configurations.last_change());
          const AuditName name = next_audit_name(portal.test.context, link.previous);
          const ConfigurationChange change{1, configurations.of(1), {true, Assignment::none}};
          portal.put(audit_key(name), configuration_record(AuditAction::update, portal.test.clock.now(),
                                                           {.subject = subject}, link, std::span(&change, 1)));
          configurations.set_last_change(name);
          co_return;
        })));
  }
  void call(const Author& author = {.subject = "sub-ops"}) {
    ASSERT_TRUE(run_ready(append_call_record(portal.test.context, portal.memory, [&](const AuditLink& link) {
      std::string record;
      JsonWriter json(record);
      begin_record(json, AuditAction::call, portal.test.clock.now(), author, link).end_object();
      return record;
    })));
  }
  AuditVerification verify(std::span<const Checkpoint> checkpoints = {},
                           std::optional<Instant> max_pruned_before = {}) {
    const AuditExpectations expected{.checkpoints = checkpoints, .max_pruned_before = max_pruned_before};
    return run_ready(verify_audit(portal.test.context, portal.memory, expected)).value();
  }
  // The keys of the records whose text contains `text`, in order.
  std::vector<std::string> keys(std::string_view text) {
    std::vector<std::string> found;
    for (const auto& [key, value] : portal.everything(audit_prefix)) {
      if (value.contains(text)) found.push_back(key);
    }
    return found;
  }
  std::string record(const std::string& key) { return portal.everything()[key]; }
  void replace(const std::string& key, std::string_view from, std::string_view to) {
    portal.put(key, with(record(key), from, to));
  }
  void remove(const std::string& key) {
    const Change change{key, std::nullopt};
    ASSERT_TRUE(run_ready(portal.memory.write(portal.test.context, std::span(&change, 1))));
  }
  void restore(const Contents& contents) {
    for (const auto& [key, value] : portal.everything()) {
      if (!contents.contains(key)) remove(key);
    }
    for (const auto& [key, value] : contents) portal.put(key, value);
  }
  std::string erase(std::string_view subject) {
    const auto data = run_ready(read_person(portal.test.context, portal.memory, subject)).value();
    return run_ready(erase_person(portal.test.context, portal.memory, subject, data, {})).value();
  }
  void prune(Instant before) { ASSERT_TRUE(run_ready(prune_audit_trail(portal.test.context, portal.memory, before))); }

  Portal portal;
};

}  // namespace portail
