// Numbers for objects, as the host knows them: never 0, and not given again before their place was used 65,535 times
// more. One thread.
#pragma once

#include <cstdint>
#include <vector>

namespace portail::wasm {

class Handles {
 public:
  // The number of `object`, which outlives its place here; 0 where 65,535 are in use.
  std::uint32_t insert(void* object);
  void erase(std::uint32_t handle);
  // Null where the number is of nothing, or of something that was erased.
  [[nodiscard]] void* find(std::uint32_t handle) const;

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Place& place : places_) {
      if (place.object) visit(place.object);
    }
  }

 private:
  struct Place {
    void* object = nullptr;
    std::uint16_t generation = 0;
  };
  std::vector<Place> places_;
  std::vector<std::uint16_t> free_;
};

// Handles of one kind of objects.
template <class T>
class HandleTable {
 public:
  std::uint32_t insert(T& object) { return handles_.insert(&object); }
  void erase(std::uint32_t handle) { handles_.erase(handle); }
  [[nodiscard]] T* find(std::uint32_t handle) const { return static_cast<T*>(handles_.find(handle)); }
  // In no order; `visit(T&)` may erase.
  template <class Visit>
  void for_each(const Visit& visit) const {
    handles_.for_each([&](void* object) { visit(*static_cast<T*>(object)); });
  }

 private:
  Handles handles_;
};

}  // namespace portail::wasm
