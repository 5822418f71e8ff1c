#include "wasm/module/handle_table.hpp"

namespace portail::wasm {
namespace {

// A handle: the generation in its upper half, and in its lower half the place, counted from 1.
constexpr std::uint32_t most_places = 0xFFFF;

constexpr std::uint32_t handle_of(std::uint32_t generation, std::uint32_t place) {
  return generation << 16U | (place + 1);
}

}  // namespace

std::uint32_t Handles::insert(void* object) {
  std::uint32_t place = 0;
  if (!free_.empty()) {
    place = free_.back();
    free_.pop_back();
  } else if (places_.size() < most_places) {
    place = static_cast<std::uint32_t>(places_.size());
    places_.emplace_back();
  } else {
    return 0;
  }
  places_[place].object = object;
  return handle_of(places_[place].generation, place);
}

void Handles::erase(std::uint32_t handle) {
  if (!find(handle)) return;
  const std::uint32_t place = (handle & most_places) - 1;
  places_[place].object = nullptr;
  ++places_[place].generation;
  free_.push_back(static_cast<std::uint16_t>(place));
}

void* Handles::find(std::uint32_t handle) const {
  const std::uint32_t place = (handle & most_places) - 1;
  if (place >= places_.size() || handle_of(places_[place].generation, place) != handle) return nullptr;
  return places_[place].object;
}

}  // namespace portail::wasm
