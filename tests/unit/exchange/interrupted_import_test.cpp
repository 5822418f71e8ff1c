// A store that fails at each of its calls in turn: every entity stays consistent, and a second run completes the
// import.

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "core/storage/format.hpp"
#include "core/storage/forwarding_store.hpp"
#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

// Fails after a number of calls.
class FailingStore : public ForwardingStore {
 public:
  FailingStore(KeyValueStore& target, int calls) : ForwardingStore(target), calls_left_(calls) {}

  Task<std::unique_ptr<Session>> open(Context& context) override {
    class FailingSession : public ForwardingSession {
     public:
      FailingSession(std::unique_ptr<Session> target, FailingStore& store)
          : ForwardingSession(std::move(target)), store_(store) {}
      Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
        co_await store_.call();
        co_await target().get(context, keys, values);
      }

     private:
      FailingStore& store_;
    };
    co_await call();
    co_return std::make_unique<FailingSession>(co_await target().open(context), *this);
  }
  Task<void> write(Context& context, std::span<const Change> changes) override {
    co_await call();
    co_await target().write(context, changes);
  }
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override {
    co_await call();
    co_return co_await target().compare_and_swap(context, key, expected, desired);
  }
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override {
    co_await call();
    co_await target().scan(context, prefix, visitor);
  }

 private:
  Result<void> call() {
    if (calls_left_ == 0) return std::unexpected(Failure::unavailable);
    --calls_left_;
    return {};
  }
  int calls_left_;
};

// A document that changes, adds and (with pruning) removes an entity of every kind.
std::string changed_document() {
  std::string document = with(small_document, "2024-02-01T09:00:00Z", "2024-02-05T09:00:00Z");
  document = with(document, "\"nomTiers\":\"Maçon\"", "\"nomTiers\":\"Masson\"");
  document = with(document, "[\"sub-c1\",\"sub-c2\"]", "[\"sub-c3\"]");
  document = with(document, "\"id\":\"L-2\"", "\"id\":\"L-3\"");
  document = with(document, "\"role\":\"gestionnaire\"", "\"role\":\"chef\"");
  return with(document, "Carte nationale", "Carte");
}

void expect_whole(const Contents& found, const Contents& before, const Contents& after, std::string_view prefix) {
  for (const auto& [key, value] : found) {
    if (!key.starts_with(prefix)) continue;
    const auto old_value = before.find(key);
    const auto new_value = after.find(key);
    EXPECT_TRUE((old_value != before.end() && old_value->second == value) ||
                (new_value != after.end() && new_value->second == value))
        << key << ' ' << value;
  }
}

TEST(InterruptedImport, IsFinishedByRunningItAgain) {
  constexpr ImportOptions options{.replace_configuration = true, .prune = true};
  const Files new_templates{{"modeles/rib.pdf", "%PDF new"}};
  Portal finished;
  finished.import(small_document, {}, small_templates());
  const Contents before = finished.contents();
  EXPECT_EQ(finished.import(changed_document(), options, new_templates).deposits, 1U);
  const Contents after = finished.contents();
  EXPECT_FALSE(after.contains("liasse.=4C-2"));

  bool succeeded = false;
  int calls = 0;
  for (; !succeeded; ++calls) {
    ASSERT_LT(calls, 200);
    Portal portal;
    portal.import(small_document, {}, small_templates());
    FailingStore store(portal.memory, calls);
    TestInput input{changed_document(), new_templates};
    const auto report = portal.import(input, options, &store);
    succeeded = report.has_value();
    if (!succeeded) {
      EXPECT_EQ(report.error(), Failure::unavailable);
    }
    expect_whole(portal.contents(), before, after, "liasse.");
    expect_whole(portal.contents(), before, after, "tiers.");
    expect_whole(portal.contents(), before, after, "utilisateur.");
    expect_whole(portal.contents(), before, after, "droits");

    EXPECT_TRUE(portal.import(changed_document(), options, new_templates).faults.empty());
    EXPECT_EQ(portal.contents(), after) << calls;
  }
  EXPECT_GT(calls, 15);
}

TEST(InterruptedImport, OfAnEmptyStoreIsFinishedToo) {
  Portal finished;
  finished.import(small_document, {}, small_templates());
  bool succeeded = false;
  for (int calls = 0; !succeeded; ++calls) {
    ASSERT_LT(calls, 200);
    Portal portal;
    FailingStore store(portal.memory, calls);
    TestInput input{small_document, small_templates()};
    succeeded = portal.import(input, {}, &store).has_value();
    EXPECT_TRUE(portal.contents().empty() || portal.value("format") == current_format);
    portal.import(small_document, {}, small_templates());
    EXPECT_EQ(portal.contents(), finished.contents()) << calls;
  }
}

TEST(InterruptedImport, NamesOnlyAuditRecordsThatAreThere) {
  bool succeeded = false;
  int changes = 0;
  int unnamed_records = 0;  // of grants: written, but not yet named
  for (; !succeeded; ++changes) {
    ASSERT_LT(changes, 200);
    Portal portal;
    portal.import(small_document, {}, small_templates());
    TornStore store(portal.memory, changes);
    TestInput input{changed_document(), {{"modeles/rib.pdf", "%PDF new"}}};
    succeeded = portal.import(input, {.replace_configuration = true, .prune = true}, &store).has_value();
    const Contents everything = portal.everything();
    for (const std::string_view value : {configuration_key, grants_key}) {
      const auto last = read_audited_value(everything.at(std::string(value))).value().last;
      ASSERT_TRUE(last) << value;
      EXPECT_TRUE(everything.contains(audit_key(*last))) << value << " after " << changes << " changes";
    }
    const auto records = portal.everything(audit_prefix);
    if (records.size() > audit_of(portal).size() && records.rbegin()->second.contains("\"action\":\"grants\"")) {
      ++unnamed_records;
    }
  }
  EXPECT_GT(changes, 10);
  EXPECT_EQ(unnamed_records, 1);
}

// The parts of the catalogue and of a template file that the second document no longer has.
TEST(InterruptedImport, LeavesNoPartAfterRunningItAgain) {
  const Files large{{"modeles/rib.pdf", std::string(3 * max_value_size, 'l')}};
  std::string objects;
  for (int id = 3; id < 500; ++id) {
    objects += R"({"id":)" + std::to_string(id) + R"(,"typeObjet":"T)" + std::to_string(id) + R"(","description":")" +
               std::string(1'000, 'd') + R"(","utilisablePourLiasse":true,"typeAffectation":"Rien"},)";
  }
  const std::string many = with(small_document, R"({"objetsCourrier":[)", R"({"objetsCourrier":[)" + objects);
  const std::string without_file = with(
      small_document,
      R"(,"fichierModele":{"nomFichier":"modèle rib.pdf","chemin":"modeles/rib.pdf","type":"application/pdf"})", "");
  for (const auto& [document, templates] :
       {std::pair(small_document, small_templates()), std::pair(without_file, Files())}) {
    Portal finished;
    finished.import(document, {}, templates);
    bool succeeded = false;
    int changes = 0;
    int torn = 0;  // after the first removed part, and before the last one
    for (; !succeeded; ++changes) {
      ASSERT_LT(changes, 100);
      Portal portal;
      portal.import(many, {}, large);
      const std::size_t parts = portal.everything(catalogue_prefix).size() + portal.everything(template_prefix).size();
      ASSERT_EQ(parts, 7U);
      TornStore store(portal.memory, changes);
      TestInput input{document, templates};
      succeeded = portal.import(input, {.prune = true}, &store).has_value();
      const std::size_t left = portal.everything(catalogue_prefix).size() + portal.everything(template_prefix).size();
      if (!succeeded && left < parts) ++torn;
      portal.import(document, {.prune = true}, templates);
      EXPECT_EQ(portal.contents(), finished.contents()) << changes;
    }
    EXPECT_GE(torn, 4);
  }
}

TEST(InterruptedImport, EndsWithTheInputsFailure) {
  struct Broken : TestInput {
    using TestInput::TestInput;
    Task<std::optional<std::string_view>> next(Context& context) override {
      if (position > 100) co_await std::unexpected(Failure::unavailable);
      co_return co_await TestInput::next(context);
    }
  } input{small_document, small_templates()};
  input.chunk_size = 64;
  Portal portal;
  EXPECT_EQ(portal.import(input).error(), Failure::unavailable);
  EXPECT_TRUE(portal.contents().empty());
}

}  // namespace
}  // namespace portail
