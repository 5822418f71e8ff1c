// An import document. One with a fault writes nothing; an imported one can be exported, and the export imports to the
// same state.
#include <map>
#include <string>

#include "core/exchange/export.hpp"
#include "core/exchange/import.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/test_context.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;
using Templates = std::map<std::string, std::string, std::less<>>;

struct Exported final : ExportSink {
  std::string document;
  Templates templates;
  bool write(std::string_view text) override {
    document += text;
    return true;
  }
  bool write_template(std::string_view path, std::string_view bytes) override {
    check(templates.emplace(path, bytes).second, "each template has a path of its own");
    return true;
  }
};

struct Keys final : Visitor {
  std::size_t count = 0;
  bool visit(std::string_view, std::string_view) override {
    ++count;
    return true;
  }
};

Exported exported(Context& context, KeyValueStore& store) {
  Exported sink;
  const auto state = run_ready(read_data_state(context, store));
  check(state && run_ready(export_document(context, store, *state, sink)) == true, "what was written can be exported");
  return sink;
}

}  // namespace

void fuzz(std::string_view input) {
  TestContext test;
  MemoryStore store;
  const auto report = import_text(test.context, store, input, {{"modeles/a.pdf", "%PDF-1.4"}, {"b.pdf", "%PDF"}});
  check(report.has_value(), "an import into memory does not fail");
  if (report->fault_count > 0) {
    Keys keys;
    check(run_ready(store.scan(test.context, "", keys)) && keys.count == 0, "a document with a fault writes nothing");
    for (const std::string& line : report->faults) check(!line.contains('\n'), "a fault is one line");
    return;
  }
  const Exported first = exported(test.context, store);
  MemoryStore copy;
  const auto again = import_text(test.context, copy, first.document, first.templates);
  check(again && again->fault_count == 0, "an exported document has no fault");
  const Exported second = exported(test.context, copy);
  check(first.document == second.document && first.templates == second.templates, "an exported document means itself");
}
