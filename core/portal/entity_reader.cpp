#include "core/portal/entity_reader.hpp"

#include <algorithm>

#include "core/storage/key.hpp"

namespace portail {

void ThirdParties::add_to(Batch& batch) {
  std::ranges::sort(numbers_);
  const auto repeated = std::ranges::unique(numbers_);
  numbers_.erase(repeated.begin(), repeated.end());
  slots_.clear();
  for (const std::string_view number : numbers_) slots_.push_back(batch.add(third_party_key(unquoted(number))));
}

Result<void> ThirdParties::load_from(const Batch& batch) {
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    if (const Value value = batch[slots_[i]]) {
      const auto third_party = read_third_party(*value);
      if (!third_party) return std::unexpected(third_party.error());
      found_.push_back(*third_party);
    }
  }
  numbers_.clear();
  std::ranges::sort(found_, {}, &ThirdParty::number);
  return {};
}

const ThirdParty* ThirdParties::find(std::string_view number) const {
  const auto third_party = std::ranges::lower_bound(found_, number, {}, &ThirdParty::number);
  return third_party != found_.end() && third_party->number == number ? &*third_party : nullptr;
}

}  // namespace portail
