// The body of a PUT, processed by the service. The result does not depend on the sizes of chunks; an accepted body is
// stored; a rejected one changes nothing.
#include <string>
#include <utility>

#include "core/api/service.hpp"
#include "core/exchange/import.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"
#include "tests/support/tokens.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

constexpr std::string_view path = "/api/app/objet-courrier/1";

struct Portal {
  Portal() {
    TestContext test;
    import_text(test.context, store,
                R"({"objetsCourrier":[{"id":1,"typeObjet":"CNI","description":"d","utilisablePourLiasse":true,)"
                R"("typeAffectation":"Rien"}]})");
  }

  Answer put(std::string_view body, std::size_t chunk_size) {
    TestContext test;
    TestRequest request("PUT", path, token);
    request.header("Content-Type", "application/json").body(body, chunk_size);
    return *run_ready(serve(test.context, service, request.view()));
  }
  std::string get() {
    TestContext test;
    TestRequest request("GET", path, token);
    return run_ready(serve(test.context, service, request.view()))->body;
  }

  static Settings settings() {
    Settings made;
    made.tokens = test_token_settings();
    return made;
  }

  MemoryStore store;
  std::string token = make_quick_test_token({.subject = "s", .permissions = {"PortailClients.ObjetsCourrier.Update"}});
  Service service{settings(), test_key_set(), store};
};

}  // namespace

void fuzz(std::string_view input) {
  static Portal portal;
  const std::string before = portal.get();
  const Answer answer = portal.put(input, 4096);
  const std::string after = portal.get();
  switch (answer.status) {
    case 200:
      check(answer.body == after, "the answer is what is stored");
      check(portal.put(after, 4096).body == after, "what is answered means itself");
      break;
    case 400:
    case 413:
      check(before == after, "a refused body changes nothing");
      break;
    default:
      check(false, "a body is accepted, malformed or too large");
  }
  check((answer.status == 413) == (input.size() > 64 * 1024), "64 KiB is the limit");
  if (input.size() < 4096) {
    const Answer again = portal.put(input, 1 + input.size() % 5);
    check(again.status == answer.status && again.body == answer.body, "a body in pieces is the same body");
  }
}
