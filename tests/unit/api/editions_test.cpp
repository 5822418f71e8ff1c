// A service over a store whose values are cached by their edition: what it reads, and what it must not keep.
#include <string>
#include <string_view>

#include "core/api/answer_cache.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/storage/edition.hpp"
#include "core/storage/key.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

class Editions : public PortalTest {
 public:
  std::string stored(std::string_view key) {
    const auto session = run_ready(memory.open(test.context));
    Value value;
    EXPECT_TRUE(run_ready((*session)->get(test.context, std::span(&key, 1), std::span(&value, 1))).has_value());
    return std::string(value.value_or(""));
  }
  void write(std::string_view key, std::string_view value) {
    const Change change{key, value};
    ASSERT_TRUE(run_ready(memory.write(test.context, std::span(&change, 1))).has_value());
  }

 protected:
  Editions() { store.hides_revision = true; }

  Answer get(std::string_view target, std::string_view token) { return ask(TestRequest("GET", target, token).view()); }
  Answer ask(Request request) {
    const auto answer = run_ready(portail::serve(test.context, cached_service, request));
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(Answer{});
  }
  // The number of keys that a request reads from the store.
  int keys_read(std::string_view target, std::string_view token) {
    store.calls = {};
    EXPECT_EQ(get(target, token).status, 200) << target;
    return store.calls.keys;
  }
  // Replaces the only `from` of a stored value, without a new edition.
  void replace(std::string_view key, std::string_view from, std::string_view to) {
    std::string value = stored(key);
    const std::size_t position = value.find(from);
    ASSERT_NE(position, std::string::npos) << key;
    write(key, value.replace(position, from.size(), to));
  }

  EditionStore editions{store};
  Service cached_service{settings(), test_key_set(), editions};
  const std::string bundle = bundle_key("L-1");
};

TEST_F(Editions, LeaveOnlyTheConfigurationAndTheConsultationsToBeRead) {
  EXPECT_GT(keys_read("/api/app/objet-courrier", client), 1);
  EXPECT_EQ(keys_read("/api/app/objet-courrier", client), 1);
  EXPECT_GT(keys_read("/api/app/liasse", client), 2);
  EXPECT_EQ(keys_read("/api/app/liasse", client), 2);
  EXPECT_EQ(keys_read("/api/app/liasse/dashboard-list", manager), 7)
      << "the grants, the consultations, the manager's index, L-3 and its client, and twice the configuration";
  EXPECT_EQ(keys_read("/api/app/liasse/dashboard-list", manager), 2);
  EXPECT_EQ(keys_read("/api/app/liasse/L-1", client), 4) << "that it was read is written";
  EXPECT_EQ(keys_read("/api/app/liasse/L-1", client), 2);
}

TEST_F(Editions, AreARevisionOfAnswers) {
  BoundedAnswerCache answers;
  test.context.answer_cache = &answers;
  const Answer page = get("/api/app/objet-courrier", client);
  EXPECT_EQ(keys_read("/api/app/objet-courrier", client), 1);
  EXPECT_EQ(answers.size(), 1U);
  TestRequest put("PUT", "/api/app/objet-courrier/1", administrator);
  put.json(R"({"utilisablePourLiasse":false,"typeAffectation":"Rien"})");
  EXPECT_EQ(ask(put.view()).status, 200);
  EXPECT_NE(get("/api/app/objet-courrier", client).body, page.body);
}

TEST_F(Editions, AreKeptByAPut) {
  get("/api/app/liasse", client);
  TestRequest put("PUT", "/api/app/objet-courrier/1", administrator);
  put.json(R"({"utilisablePourLiasse":false,"typeAffectation":"Rien"})");
  EXPECT_EQ(ask(put.view()).status, 200);
  EXPECT_EQ(keys_read("/api/app/liasse", client), 2);
  EXPECT_TRUE(get("/api/app/objet-courrier/1", client).body.contains("\"typeAffectation\":\"Rien\""));
}

TEST_F(Editions, EndWithAnImport) {
  const Answer before = get("/api/app/liasse", client);
  std::string document(small_portal);
  const std::size_t name = document.find("Prêt immobilier");
  ASSERT_NE(name, std::string::npos);
  load(document.replace(name, std::string_view("Prêt immobilier").size(), "Prêt étudiant"));
  EXPECT_FALSE(before.body.contains("Prêt étudiant"));
  EXPECT_TRUE(get("/api/app/liasse", client).body.contains("Prêt étudiant"));
  EXPECT_EQ(keys_read("/api/app/liasse", client), 2);
}

// An import was interrupted, or writes now.
TEST_F(Editions, ThatAreIncompleteCacheNothing) {
  get("/api/app/liasse", client);
  replace(configuration_key, "\tcomplete\t", "\tbegun\t");
  EXPECT_GT(keys_read("/api/app/liasse", client), 2);
  EXPECT_GT(keys_read("/api/app/liasse", client), 2);
  replace(bundle, "Prêt immobilier", "Prêt étudiant");
  EXPECT_TRUE(get("/api/app/liasse", client).body.contains("Prêt étudiant"));
}

// An older program changes the audit's line, and keeps the edition's.
TEST_F(Editions, EndWithAChangeByAnOlderProgram) {
  get("/api/app/liasse", client);
  const auto configurations = Configurations::parse(stored(configuration_key)).value();
  ASSERT_TRUE(configurations.edition());
  const AuditName last = *configurations.last_change();
  replace(configuration_key, audit_line(last), audit_line({last.time + 1, last.id}));
  EXPECT_GT(keys_read("/api/app/liasse", client), 2);
  replace(bundle, "Prêt immobilier", "Prêt étudiant");
  EXPECT_TRUE(get("/api/app/liasse", client).body.contains("Prêt étudiant"));
  EXPECT_FALSE(Configurations::parse(stored(configuration_key))->edition());
}

TEST_F(Editions, CacheNoAbsentValue) {
  EXPECT_EQ(get("/api/app/liasse/L-9", client).status, 404);
  std::string value = stored(bundle);
  write(bundle_key("L-9"), value.replace(value.find("L-1"), 3, "L-9"));
  EXPECT_EQ(get("/api/app/liasse/L-9", client).status, 200);
}

// A second import begins while the document of the first one is read: only the second may complete the edition.
TEST_F(Editions, AreCompletedByTheLastImportOnly) {
  class Overtaken final : public ImportInput {
   public:
    explicit Overtaken(Editions& portal) : portal_(portal) {}
    Task<void> rewind(Context&) override {
      is_read_ = false;
      ++pass_;
      co_return;
    }
    Task<std::optional<std::string_view>> next(Context&) override {
      if (is_read_) co_return std::nullopt;
      is_read_ = true;
      if (pass_ == 2) {
        auto other = Configurations::parse(portal_.stored(configuration_key)).value();
        own = other.edition();
        other.set_last_change(AuditName{other.last_change()->time + 1, 1});
        other.set_edition(Edition{.import = *other.last_change(), .is_complete = false});
        portal_.write(configuration_key, other.encode());
        overtaking = other.edition();
      }
      co_return small_portal;
    }
    Task<std::expected<std::string, std::string>> read_template(Context&, std::uint64_t, std::string_view,
                                                                std::size_t) override {
      co_return std::expected<std::string, std::string>("%PDF-1.4 modele");
    }
    std::optional<Edition> own;
    std::optional<Edition> overtaking;

   private:
    Editions& portal_;
    bool is_read_ = false;
    int pass_ = 0;
  };
  Overtaken input(*this);
  IgnoredProgress progress;
  const auto report = run_ready(import_document(test.context, memory, input, {}, progress));
  ASSERT_TRUE(report && report->faults.empty());
  ASSERT_TRUE(input.own && input.overtaking);
  EXPECT_FALSE(input.own->is_complete);
  EXPECT_EQ(Configurations::parse(stored(configuration_key))->edition(), input.overtaking);
}

}  // namespace
}  // namespace portail
