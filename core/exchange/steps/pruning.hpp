// What an import removes: with --prune the stored elements that its document lacks, of the sections that it has. One
// import, one thread.
#pragma once

#include "core/exchange/steps/check.hpp"

namespace portail {

// Whether the import removes the stored elements of the section that its document lacks.
bool prunes(const ImportOptions& options, const CheckedDocument& document, Section section);

// Adds a fault for each third party and mail object that pruning would remove although a remaining stored entity refers
// to it. Adds a fault for each empty section that would remove all stored elements, unless
// options.allow_empty_sections is set.
Task<void> check_removals(Context& context, KeyValueStore& store, const CheckedDocument& document,
                          const StoredMailObjects& stored, const ImportOptions& options, Faults& faults);

}  // namespace portail
