// The memory that a streamed answer reports while its client reads slowly: its own and that of its session.
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

// A store whose sessions report a fixed memory use.
class KeepingStore final : public ForwardingStore {
 public:
  KeepingStore(KeyValueStore& target, std::size_t kept) : ForwardingStore(target), kept_(kept) {}

  Task<std::unique_ptr<portail::Session>> open(Context& context) override {
    co_return std::make_unique<Session>(co_await target().open(context), kept_);
  }

 private:
  class Session final : public ForwardingSession {
   public:
    Session(std::unique_ptr<portail::Session> target, std::size_t kept)
        : ForwardingSession(std::move(target)), kept_(kept) {}
    [[nodiscard]] std::size_t copied_bytes() const override { return kept_; }

   private:
    std::size_t kept_;
  };

  std::size_t kept_;
};

// A document with `bundles` bundles of T1.
std::string document_of(int bundles) {
  std::string text =
      R"({"tiers":[{"numeroTiers":"T1","nomTiers":"N","prenomTiers":"P","utilisateurs":["sub-client"],"gestionnaires":[]}],)"
      R"("liasses":[)";
  for (int i = 0; i < bundles; ++i) {
    text.append(i == 0 ? "" : ",").append(sample_bundle({.id = "M-" + std::to_string(i)}));
  }
  return text + "]}";
}

class Occupied : public PortalTest {
 protected:
  struct Counted {
    std::size_t at_first = 0;
    std::size_t after_two_chunks = 0;
  };
  Counted count(std::string_view target, std::size_t kept) {
    KeepingStore keeping(memory, kept);
    const Service over(settings(), test_key_set(), keeping);
    TestRequest request("GET", target, client);
    Response response = run_ready(over.handle(test.context, request.view())).value();
    auto* const source = std::get_if<std::unique_ptr<ChunkSource>>(&response.body);
    if (!source) {
      ADD_FAILURE() << target << " is not streamed";
      return {};
    }
    Counted counted{.at_first = (*source)->occupied()};
    // The first chunk of a list is its buffered beginning.
    for (int chunk = 0; chunk < 2; ++chunk) EXPECT_TRUE(run_ready((*source)->next(test.context)).value());
    counted.after_two_chunks = (*source)->occupied();
    return counted;
  }
};

TEST_F(Occupied, AListCountsItsSessionItsBundlesAndItsChunk) {
  load(document_of(2000));
  const Counted alone = count("/api/app/liasse", 0);
  EXPECT_GE(alone.at_first, 2'000U * 64U + 524'288U);
  EXPECT_LE(alone.at_first, 2'000U * 1'024U + 1'048'576U);
  EXPECT_GE(alone.after_two_chunks, 2'000U * 64U + 65'000U);
  EXPECT_LE(alone.after_two_chunks, alone.at_first - 300'000U);
  const Counted kept = count("/api/app/liasse", 3'000'000);
  EXPECT_EQ(kept.at_first, alone.at_first + 3'000'000U);
  EXPECT_EQ(kept.after_two_chunks, alone.after_two_chunks + 3'000'000U);
}

TEST_F(Occupied, ATemplateFileCountsItsSession) {
  ASSERT_TRUE(import_text(test.context, memory, small_portal, {{"cni.pdf", std::string(600'000, 'x')}}));
  const Counted alone = count("/api/app/objet-courrier/1/fichier-modele", 0);
  EXPECT_EQ(alone.at_first, 0U);
  EXPECT_EQ(alone.after_two_chunks, 0U);
  EXPECT_EQ(count("/api/app/objet-courrier/1/fichier-modele", 262'144).after_two_chunks, 262'144U);
}

}  // namespace
}  // namespace portail
