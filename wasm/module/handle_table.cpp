#include "wasm/module/handle_table.hpp"

namespace portail::wasm {

std::uint32_t Handles::insert(void* object) {
  constexpr std::size_t max_handles = 65'535;
  if (objects_.size() >= max_handles) return 0;
  do {
    ++last_;
  } while (last_ == 0 || objects_.contains(last_));
  objects_.emplace(last_, object);
  return last_;
}

void* Handles::find(std::uint32_t handle) const {
  const auto found = objects_.find(handle);
  return found == objects_.end() ? nullptr : found->second;
}

}  // namespace portail::wasm
