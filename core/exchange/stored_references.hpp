// Finds values that a store has lost, by the values that refer to them, in a state that an import completed. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/failure.hpp"
#include "core/base/task.hpp"
#include "core/exchange/data_state.hpp"
#include "core/exchange/steps/id_set.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class StoredReferences {
 public:
  explicit StoredReferences(const DataState& state) : is_complete_(state.is_complete) {}

  // The functions below fail with Failure::corrupt if a value is missing.
  Result<void> add(const StoredMailObjects& stored);
  // Adds an entity. Call it after those that it refers to were added.
  Result<void> add(const StoredEntity& entity, std::string_view value);
  // Returns the bytes of a template file. Fails with Failure::corrupt if they are not those that the catalogue names.
  Task<std::string> read_template(Context& context, KeyValueStore& store, std::uint64_t mail_object,
                                  const OwnedMailObject::Template& file);
  // Records that the value of this key is missing, unless an import was interrupted.
  Result<void> lose(std::string_view key);
  // Finds an entity that an index names and the store lacks. `keys` has those of the stored ones. What is damaged in an
  // index is ignored: the next import writes it.
  Task<void> check_indexes(Context& context, KeyValueStore& store, const StoredEntity& entity, const IdSet& keys);
  // Call it if there are no grants.
  Task<void> check_absent_grants(Context& context, KeyValueStore& store);

  // Returns false if an import was interrupted.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  [[nodiscard]] bool has_missing() const { return !missing_.empty(); }
  // Logs the missing value, if there is one. Call it once the state is known to be that of the constructor still: an
  // import that runs meanwhile removes values, too.
  void log_missing(Context& context) const;
  // Returns about the number of bytes in memory.
  [[nodiscard]] std::size_t occupied() const { return third_parties_.size() * 2 * sizeof(IdSet::Id); }

 private:
  const bool is_complete_;
  std::vector<std::uint64_t> mail_objects_;  // ascending
  bool has_catalogue_ = false;
  IdSet third_parties_;
  std::string missing_;  // the key, or "mail object ID"; empty: none
};

}  // namespace portail
