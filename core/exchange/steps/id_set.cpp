#include "core/exchange/steps/id_set.hpp"

#include <utility>

#include "core/base/text.hpp"

namespace portail {

IdSet::Id IdSet::of_uuid(std::string_view uuid) {
  Id id;
  for (const char c : uuid) {
    if (c == '-') continue;
    const std::uint64_t digit = hexadecimal_digit(c).value_or(0);
    id.high = (id.high << 4) | (id.low >> 60);
    id.low = (id.low << 4) | digit;
  }
  return id;
}

bool IdSet::insert(Id id) {
  if (id == Id{}) {
    if (std::exchange(has_zero_, true)) return false;
    ++size_;
    return true;
  }
  const std::uint64_t mixed = mix(id);
  Table& table = tables_[mixed >> (64 - table_bits)];
  if (table.used * 8 >= table.slots.size() * 7) grow(table);
  Id& slot = table.slots[slot_of(table.slots, mixed, id)];
  if (slot == id) return false;
  slot = id;
  ++table.used;
  ++size_;
  return true;
}

bool IdSet::contains(Id id) const {
  if (id == Id{}) return has_zero_;
  const std::uint64_t mixed = mix(id);
  const Table& table = tables_[mixed >> (64 - table_bits)];
  return !table.slots.empty() && table.slots[slot_of(table.slots, mixed, id)] == id;
}

// UUIDs need not be random: all their bits affect the table and the slot.
std::uint64_t IdSet::mix(Id id) {
  std::uint64_t mixed = (id.high ^ (id.low >> 32) ^ (id.low << 32)) * 0x9e3779b97f4a7c15;
  mixed ^= mixed >> 29;
  return (mixed ^ id.low) * 0xbf58476d1ce4e5b9;
}

// Returns the slot of `id`, or a free slot for it. The number of slots is a power of two; at least one is free.
std::size_t IdSet::slot_of(const std::vector<Id>& slots, std::uint64_t mixed, Id id) {
  const std::size_t mask = slots.size() - 1;
  std::size_t slot = static_cast<std::size_t>(mixed >> 20) & mask;
  while (slots[slot] != Id{} && slots[slot] != id) slot = (slot + 1) & mask;
  return slot;
}

void IdSet::grow(Table& table) {
  std::vector<Id> larger(table.slots.empty() ? 16 : table.slots.size() * 2);
  for (const Id id : table.slots) {
    if (id != Id{}) larger[slot_of(larger, mix(id), id)] = id;
  }
  table.slots = std::move(larger);
}

}  // namespace portail
