#include "core/portal/consultation.hpp"

#include <optional>
#include <string>
#include <vector>

#include "core/portal/batch.hpp"
#include "core/portal/records/consultations.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// Each lost race is a completed request of the same person.
constexpr int max_attempts = 32;

// The stored parts of the person's consultations.
struct ConsultationParts {
  std::unique_ptr<Session> session;
  std::vector<Value> parts;
};

Task<ConsultationParts> read_parts(Context& context, KeyValueStore& store, std::string_view person) {
  ConsultationParts stored{.session = co_await store.open(context), .parts = {}};
  Batch first;
  first.add(consultation_key(person, 0));
  co_await first.fetch(context, *stored.session);
  stored.parts.push_back(first[0]);
  if (!first[0]) co_return stored;
  const std::size_t count = co_await count_consultation_parts(*first[0]);
  Batch remaining;
  for (std::size_t part = 1; part < count; ++part)
    remaining.add(consultation_key(person, static_cast<std::uint32_t>(part)));
  co_await remaining.fetch(context, *stored.session);
  for (std::size_t part = 1; part < count; ++part) stored.parts.push_back(remaining[part - 1]);
  co_return stored;
}

// Returns the part that contains the bundle, or the last part.
Result<std::size_t> part_for(const ConsultationParts& stored, std::string_view bundle) {
  for (std::size_t part = 0; part < stored.parts.size(); ++part) {
    Consultations consultations;
    if (auto added = consultations.add_part(part, stored.parts[part].value_or("")); !added) {
      return std::unexpected(added.error());
    }
    if (consultations.seen_deposits(bundle) > 0) return part;
  }
  return stored.parts.size() - 1;
}

}  // namespace

Task<void> record_consultation(Context& context, KeyValueStore& store, std::string_view person, std::string_view bundle,
                               std::uint64_t deposits) {
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const ConsultationParts stored = co_await read_parts(context, store, person);
    stored.session->release();
    std::size_t part = co_await part_for(stored, bundle);
    Value old_value = stored.parts[part];
    Consultations consultations_of_part;
    co_await consultations_of_part.add_part(part, old_value.value_or(""));
    const std::uint64_t seen_deposits = consultations_of_part.seen_deposits(bundle);
    if (seen_deposits >= deposits) co_return;

    if (seen_deposits == 0 && old_value && consultation_part_is_full(*old_value)) {
      // Part 0 counts the new part first: a missing part reads as empty.
      const std::string part_0 = with_consultation_parts(*stored.parts[0], ++part + 1);
      if (!co_await store.compare_and_swap(context, consultation_key(person, 0), stored.parts[0], part_0)) continue;
      old_value = std::nullopt;
    }
    const std::string new_value = with_consultation(part, old_value.value_or(""), bundle, deposits);
    if (co_await store.compare_and_swap(context, consultation_key(person, static_cast<std::uint32_t>(part)), old_value,
                                        new_value)) {
      co_return;
    }
  }
  co_await std::unexpected(Failure::unavailable);
}

}  // namespace portail
