// Numbers for objects, as the host knows them: never 0, and not given again before 2^32 others were. One thread.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace portail::wasm {

class Handles {
 public:
  // The number of `object`, which outlives its place here; 0 where 65,535 are in use.
  std::uint32_t insert(void* object);
  void erase(std::uint32_t handle) { objects_.erase(handle); }
  // Null where the number is of nothing, or of something that was erased.
  [[nodiscard]] void* find(std::uint32_t handle) const;

  // In no order; `visit(object)` may erase that object.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (auto next = objects_.begin(); next != objects_.end();) {
      void* const object = next->second;
      ++next;
      visit(object);
    }
  }

 private:
  std::unordered_map<std::uint32_t, void*> objects_;
  std::uint32_t last_ = 0;
};

// Handles of one kind of objects.
template <class T>
class HandleTable {
 public:
  std::uint32_t insert(T& object) { return handles_.insert(&object); }
  void erase(std::uint32_t handle) { handles_.erase(handle); }
  [[nodiscard]] T* find(std::uint32_t handle) const { return static_cast<T*>(handles_.find(handle)); }
  template <class Visit>
  void for_each(const Visit& visit) const {
    handles_.for_each([&](void* object) { visit(*static_cast<T*>(object)); });
  }

 private:
  Handles handles_;
};

}  // namespace portail::wasm
