// A set of 128-bit hashes or UUIDs, 16 to 32 bytes each, for documents of a million bundles. Collisions of BLAKE2b-128
// do not occur in practice. One thread at a time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/crypto/hash.hpp"

namespace portail {

class IdSet {
 public:
  struct Id {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Id&, const Id&) = default;
  };
  static Id of(std::string_view text) { return std::bit_cast<Id>(blake2b(text)); }
  // Returns the 128 bits of `uuid`, in lower case.
  static Id of_uuid(std::string_view uuid);

  // Returns false if the id is in the set already.
  bool insert(Id id);
  [[nodiscard]] bool contains(Id id) const;
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  // Open addressing; the zero id marks a free slot and is stored separately. Many small tables limit the memory that
  // growing one needs.
  struct Table {
    std::vector<Id> slots;
    std::size_t used = 0;
  };
  static std::uint64_t mix(Id id);
  static std::size_t slot_of(const std::vector<Id>& slots, std::uint64_t mixed, Id id);
  static void grow(Table& table);

  static constexpr unsigned table_bits = 6;
  std::array<Table, std::size_t{1} << table_bits> tables_;
  bool has_zero_ = false;
  std::size_t size_ = 0;
};

}  // namespace portail
