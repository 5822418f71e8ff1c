// How much one commit holds: a thousand entities, or eight mebibytes.
#include "core/exchange/steps/commit.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

constexpr std::size_t mebibyte = 1'048'576;

// Records the changes of each write.
class RecordingStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::vector<std::vector<std::string>> writes;

  Task<void> write(Context& context, std::span<const Change> changes) override {
    writes.emplace_back();
    for (const Change& change : changes) writes.back().emplace_back(change.key);
    return ForwardingStore::write(context, changes);
  }
};

class Commits : public testing::Test {
 protected:
  CountingContext test;
  MemoryStore memory;
  RecordingStore store{memory};
};

TEST_F(Commits, AreFullAtAThousandChanges) {
  Commit commit(store, false);
  for (int i = 0; i < 998; ++i) commit.put("k" + std::to_string(i), "v");
  commit.remove("gone");
  EXPECT_FALSE(commit.is_full());
  ASSERT_TRUE(run_ready(commit.write_if_full(test.context)));
  EXPECT_EQ(store.writes.size(), 0U);
  commit.put("k998", "v");
  EXPECT_TRUE(commit.is_full());
  ASSERT_TRUE(run_ready(commit.write_if_full(test.context)));
  ASSERT_EQ(store.writes.size(), 1U);
  EXPECT_EQ(store.writes[0].size(), 1'000U);
  EXPECT_FALSE(commit.is_full());
}

TEST_F(Commits, AreFullAtEightMebibytesOfKeysAndValues) {
  Commit commit(store, false);
  for (int i = 0; i < 31; ++i) commit.put("abcd", std::string(mebibyte / 4 - 4, 'v'));
  commit.put("abcd", std::string(mebibyte / 4 - 10, 'v'));
  commit.remove("abcde");
  EXPECT_FALSE(commit.is_full());
  commit.remove("f");
  EXPECT_TRUE(commit.is_full());
  ASSERT_TRUE(run_ready(commit.write(test.context)));
  // The counts restart at zero.
  commit.put("k", std::string(8 * mebibyte - 2, 'v'));
  EXPECT_FALSE(commit.is_full());
  commit.remove("f");
  EXPECT_TRUE(commit.is_full());
}

TEST_F(Commits, OfADryRunAreEmpty) {
  Commit commit(store, true);
  for (int i = 0; i < 1'000; ++i) commit.put("k", std::string(10'000, 'v'));
  for (int i = 0; i < 1'000; ++i) commit.remove("k");
  EXPECT_FALSE(commit.is_full());
  ASSERT_TRUE(run_ready(commit.write(test.context)));
  EXPECT_EQ(store.writes.size(), 0U);
}

// The entities of an import; their size is that of their text in the document.
class CommitsOfEntities : public Commits {
 protected:
  // Returns the keys of each write of entities.
  std::vector<std::vector<std::string>> import(const std::string& document) {
    TestInput input(document);
    IgnoredProgress progress;
    const auto report = run_ready(import_document(test.context, store, input, {}, progress));
    EXPECT_EQ(report.value().faults, std::vector<std::string>{});
    std::vector<std::vector<std::string>> entities;
    for (std::vector<std::string>& keys : store.writes) {
      std::erase_if(keys,
                    [](const std::string& key) { return !key.starts_with("tiers.") && !key.starts_with("liasse."); });
      if (!keys.empty()) entities.push_back(std::move(keys));
    }
    return entities;
  }
  // A third party of exactly `bytes` bytes, most of them spaces.
  static std::string third_party(int number, std::size_t bytes) {
    std::string text = R"({"numeroTiers":"T)" + std::to_string(100 + number) +
                       R"(","utilisateurs":[],"gestionnaires":[],"prenomTiers":"","nomTiers":"")";
    return text.append(bytes - text.size() - 1, ' ') + "}";
  }
  static std::string bundle(int number, std::size_t bytes) {
    std::string text = sample_bundle({.id = "L" + std::to_string(100 + number), .third_party = "T100"});
    text.pop_back();
    return text.append(bytes - text.size() - 1, ' ') + "}";
  }
};

TEST_F(CommitsOfEntities, EndAtEightMebibytesOfThirdParties) {
  std::string document = R"({"tiers":[)";
  for (int i = 0; i < 68; ++i) document += (i > 0 ? "," : "") + third_party(i, mebibyte / 8);
  const auto writes = import(document + "]}");
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].size(), 64U);
  EXPECT_EQ(writes[1].size(), 4U);
}

TEST_F(CommitsOfEntities, EndAtEightMebibytesOfBundles) {
  std::string document = R"({"tiers":[)" + third_party(0, mebibyte / 8) + R"(],"liasses":[)";
  for (int i = 0; i < 127; ++i) document += (i > 0 ? "," : "") + bundle(i, mebibyte / 8 - (i == 0 ? 1 : 0));
  const auto writes = import(document + "]}");
  // The first bundle is a byte shorter, so that the sixty-fifth entity fills the first commit.
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].size(), 65U);
  EXPECT_EQ(writes[1].size(), 63U);
}

TEST_F(CommitsOfEntities, EndAtAThousand) {
  std::string document = R"({"tiers":[)" + third_party(0, 200) + "," + third_party(1, 200) + R"(],"liasses":[)";
  for (int i = 0; i < 1'001; ++i) document += (i > 0 ? "," : "") + bundle(i, 300);
  const auto writes = import(document + "]}");
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].size(), 1'000U);
  EXPECT_EQ(writes[1].size(), 3U);
}

}  // namespace
}  // namespace portail
