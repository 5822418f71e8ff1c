// Handles by which the host refers to objects: never 0, and not reused before 2^32 others. One thread.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace portail::wasm {

class Handles {
 public:
  // Returns a handle of `object`, which must be erased before it is destroyed; 0 if 65,535 handles are in use.
  std::uint32_t insert(void* object);
  void erase(std::uint32_t handle) { objects_.erase(handle); }
  // Returns null for an unknown or erased handle.
  [[nodiscard]] void* find(std::uint32_t handle) const;

  // Calls `visit(object)` for each object, in any order. It may erase that object.
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

// Handles of objects of one type.
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
