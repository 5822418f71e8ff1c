#include "core/portal/consultation.hpp"

#include <optional>
#include <string>
#include <vector>

#include "core/portal/batch.hpp"
#include "core/portal/records/consultations.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// A race is lost only to another request of the same person that won; so many in a row do not happen to people.
constexpr int most_attempts = 32;

// The parts of the person's consultations as they are now.
struct Recorded {
  std::unique_ptr<Session> session;
  std::vector<Value> parts;
};

Task<Recorded> read_parts(Context& context, KeyValueStore& store, std::string_view person) {
  Recorded recorded{.session = co_await store.open(context), .parts = {}};
  Batch first;
  first.add(consultation_key(person, 0));
  co_await first.fetch(context, *recorded.session);
  recorded.parts.push_back(first[0]);
  if (!first[0]) co_return recorded;
  const std::size_t count = co_await count_consultation_parts(*first[0]);
  Batch further;
  for (std::size_t part = 1; part < count; ++part)
    further.add(consultation_key(person, static_cast<std::uint32_t>(part)));
  co_await further.fetch(context, *recorded.session);
  for (std::size_t part = 1; part < count; ++part) recorded.parts.push_back(further[part - 1]);
  co_return recorded;
}

// Where the bundle stands, or else the last part.
Result<std::size_t> part_for(const Recorded& recorded, std::string_view bundle) {
  for (std::size_t part = 0; part < recorded.parts.size(); ++part) {
    Consultations consultations;
    if (auto added = consultations.add_part(part, recorded.parts[part].value_or("")); !added) {
      return std::unexpected(added.error());
    }
    if (consultations.seen(bundle) > 0) return part;
  }
  return recorded.parts.size() - 1;
}

}  // namespace

Task<void> record_consultation(Context& context, KeyValueStore& store, std::string_view person, std::string_view bundle,
                               std::uint64_t deposits) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const Recorded recorded = co_await read_parts(context, store, person);
    std::size_t part = co_await part_for(recorded, bundle);
    Value before = recorded.parts[part];
    Consultations in_part;
    co_await in_part.add_part(part, before.value_or(""));
    const std::uint64_t seen = in_part.seen(bundle);
    if (seen >= deposits) co_return;

    if (seen == 0 && before && consultation_part_is_full(*before)) {
      // Part 0 names the new part first: one that is named and missing counts as empty.
      const std::string part_0 = with_consultation_parts(*recorded.parts[0], ++part + 1);
      if (!co_await store.compare_and_swap(context, consultation_key(person, 0), recorded.parts[0], part_0)) continue;
      before = std::nullopt;
    }
    const std::string after = with_consultation(part, before.value_or(""), bundle, deposits);
    if (co_await store.compare_and_swap(context, consultation_key(person, static_cast<std::uint32_t>(part)), before,
                                        after)) {
      co_return;
    }
  }
  co_await std::unexpected(Failure::unavailable);
}

}  // namespace portail
