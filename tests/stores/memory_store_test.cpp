#include "core/storage/memory_store.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"

namespace portail {
namespace {

std::unique_ptr<KeyValueStore> make_memory_store() { return std::make_unique<MemoryStore>(); }

INSTANTIATE_TEST_SUITE_P(Memory, StoreConformance, testing::Values(make_memory_store),
                         [](const auto&) { return "store"; });

TEST(MemoryStore, ClaimsEveryTrait) {
  const auto traits = MemoryStore().traits();
  EXPECT_TRUE(traits.snapshots);
  EXPECT_TRUE(traits.compare_and_swap);
  EXPECT_TRUE(traits.atomic_batches);
}

}  // namespace
}  // namespace portail
