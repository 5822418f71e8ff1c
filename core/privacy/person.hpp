// What a store holds about one person, by the subject (`sub`) of their tokens, and its erasure
// (docs/how-to/answer-a-data-request.md). For tools: these functions scan the store. One call, one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/audit/audit_record.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Each element is one JSON value, in the order of the keys.
struct PersonData {
  // Number and relations of the third parties that name the person; for a user with its names.
  std::vector<std::string> third_parties;
  // Entities that refer to these third parties: of the person as a user, as in an import document; as a manager, ids.
  struct List {
    std::string name;  // in the document
    std::vector<std::string> elements;
  };
  std::vector<List> entities;
  std::vector<std::string> consultations;  // how many deposits the person has seen of which bundle
  std::vector<std::string> grants;         // to the subject; as in an import document
  std::vector<std::string> audit_records;  // by the person, or that name the person; as stored
  std::vector<std::string> audit_keys;     // of these records
  std::vector<std::string> consultation_keys;
  std::optional<std::string> import_lock;  // the value config.import-lock of an import by the person that has ended
  // Of all further keys and values with the subject (core/privacy/subject_pattern.hpp), which an erasure cannot
  // change.
  std::vector<std::string> other_keys;
};

// Reads all of it: every value of the store. Memory: the data, and the numbers of the person's third parties. Not of
// one snapshot. Fails with Failure::corrupt if an entity, the grants or the person's consultations are invalid.
Task<PersonData> read_person(Context& context, KeyValueStore& store, std::string_view subject);

// Returns the data as a JSON object of one element a line. `log_pseudonym` is the subject in the log; empty if unknown.
std::string person_document(std::string_view subject, std::string_view log_pseudonym, const PersonData& data);

// Removes the person's consultations and an ended import's lock, and replaces the subject in the records of `data` by a
// random pseudonym, the same in all of them. Writes a record of the erasure first, which has the pseudonym and not the
// subject, and for each record its key and the SHA-256 of its new text; one for each 2,000 records. Records keep their
// keys and hashes, so the audit stays connected and verifiable. If one changed since it was read, for example because
// its import ended, the erasure fails with Failure::unavailable. Bundles, third parties and grants stay: an import
// writes and removes them. So do data.other_keys. After a failure or an interruption another call erases the rest,
// under another pseudonym. Returns the pseudonym.
Task<std::string> erase_person(Context& context, KeyValueStore& store, std::string_view subject, const PersonData& data,
                               const Author& author);

}  // namespace portail
