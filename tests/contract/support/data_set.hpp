// The suite's own small portal, imported by the import command before the first case. Its identifiers are unique for
// each run, so that the suite can be repeated on the same store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/contract/support/files.hpp"

namespace portail::contract {

// Replaces the placeholders of a literal:
//   $RUN   the run's prefix, lower-case letters and digits
//   $00 … $39   the identifier of that mail object
//   $u00 … $u99 a UUID
//   $O00 … $O09 a mail object that no case changes, as the API writes it
//   $E00 … $E09 the same inside a piece
std::string fill(std::string_view literal);

std::int64_t mail_object_id(int number);
inline constexpr int stable_mail_objects = 10;  // numbers 0 to 9; consecutive identifiers

// The bundles of the client's own third party, as in the client's list, newest first, joined by commas.
std::string client_bundles();
// The one bundle of the manager's second third party.
std::string other_bundle();
// The name of a bundle without the run's prefix: one of those of client_bundles().
std::string bundle(std::string_view name);

// Two sections of the data set's document in their first version, with placeholders: entities joined by commas.
std::string data_set_bundles();
std::string data_set_grants();

std::string cni_template();    // the bytes of the template of mail object 00
std::string large_template();  // of mail object 09: larger than one stored value

// The directory of import documents and their template files.
const TemporaryFolder& import_folder();
// Runs the import command on a document (placeholders are replaced), with these options before its name.
CommandResult import_document(std::string_view document, std::string_view options = "");
// Imports the document, and fails the test if the import fails.
void import_or_fail(std::string_view document, std::string_view options = "");

void load_data_set();    // throws std::runtime_error with the output of the import command
void remove_data_set();  // removes the folder

}  // namespace portail::contract
