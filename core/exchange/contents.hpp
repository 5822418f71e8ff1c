// What a store holds, counted, for an operator who looks at it from outside.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/exchange/steps/type_codes.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

struct StoreContents {
  std::uint64_t mail_objects = 0;
  std::uint64_t template_files = 0;  // of mail objects
  std::uint64_t third_parties = 0;
  std::uint64_t bundles = 0;
  std::uint64_t grants = 0;
  std::uint64_t audit_records = 0;
  // typeObjet of several mail objects, which no import accepts any more.
  std::vector<SharedTypeCode> shared_type_codes;
};

// Writes nothing. Of bundles, third parties and records it holds one at a time, and no template file. Not of one state:
// the store may change meanwhile. Fails as the store does, and with corrupt where the catalogue or the grants cannot be
// read. One thread.
Task<StoreContents> count_contents(Context& context, KeyValueStore& store);

}  // namespace portail
