// A server of the portal on cpp-httplib: the shortest complete host of the core. A host passes each request to
// Service::handle() as it was received, and sends the Response as it is. Settings are environment variables:
//   PORTAIL_STORE                     lmdb:DIR, dir:DIR, redis://…, postgres://…; default memory:
//   PORTAIL_ISSUER, PORTAIL_AUDIENCE  of the tokens; several audiences are separated by commas
//   PORTAIL_JWKS                      the key set: a file, or an https URL
//   PORTAIL_TLS_CERT, PORTAIL_TLS_KEY PEM files; without them the server speaks plain HTTP
//   PORTAIL_TRANSPORT                 direct, forwarded or loopback; default direct
//   PORT                              of 127.0.0.1; default: any free port
// and PORTAIL_ALLOW_ORIGIN, PORTAIL_TENANT, PORTAIL_SUBJECT_CLAIM, PORTAIL_LEEWAY, PORTAIL_FILTER_LISTS,
// PORTAIL_TRUSTED_PROXY (one address), as in docs/reference/settings.md.
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <httplib.h>
#include <portail/portail.hpp>
#include <sodium.h>

namespace {

using namespace portail;

std::string variable(const char* name, const char* default_value = "") {
  const char* value = std::getenv(name);
  return value ? value : default_value;
}

// What all requests share. Its members are safe for concurrent calls.
struct Portal {
  Portal(const Settings& settings, std::unique_ptr<keys::Document> key_document, KeyValueStore& opened_store)
      : keys(std::move(key_document), {}, log), store(opened_store), service(settings, keys, store) {
    keys.refresh();
    keys.start();
  }

  SystemClock clock;
  SystemRandom random;
  JsonLog log{LogLevel::info};
  keys::RefreshingKeys keys;
  FormatCheckingStore store;
  Service service;
  SharedTokenCache tokens{random_key(random), 10'000};
  SharedAnswerCache answers;
  bool is_tls = false;
  std::string trusted_proxy = variable("PORTAIL_TRUSTED_PROXY");
};

// The body of a request. The core reads it only if it needs it, after all other checks. Without a reader, the client
// waits for a 100 before it sends the body.
class RequestBody final : public ChunkSource {
 public:
  explicit RequestBody(const httplib::ContentReader* reader) : reader_(reader) {}
  [[nodiscard]] bool is_needed() const { return is_read_; }

  // cpp-httplib pushes a body, and the core pulls it: the first call reads all of it. The server limits its size.
  Task<std::optional<std::string_view>> next(Context&) override {
    if (std::exchange(is_read_, true)) co_return std::nullopt;
    if (!reader_) co_return std::unexpected(Failure::body_incomplete);
    const auto append = [this](const char* data, std::size_t size) { return text_.append(data, size), true; };
    if (!(*reader_)(append)) co_return std::unexpected(Failure::body_incomplete);
    if (text_.empty()) co_return std::nullopt;
    co_return text_;
  }

 private:
  const httplib::ContentReader* reader_;
  std::string text_;
  bool is_read_ = false;
};

// The environment of one request, which lives until its answer is sent.
struct Environment {
  explicit Environment(Portal& portal)
      : context{.clock = portal.clock,
                .random = portal.random,
                .log = portal.log,
                .frames = frames,
                .deadline = {portal.clock.now().microseconds + 10'000'000},
                .token_cache = &portal.tokens,
                .answer_cache = &portal.answers} {}

  FrameArena frames;
  Context context;
  std::unique_ptr<ChunkSource> chunks;  // of a long answer
};

// Sends an answer: the status, every header line, and the body.
void send(Response response, std::shared_ptr<Environment> environment, httplib::Response& out) {
  out.status = response.status;
  for (HeaderField& header : response.headers) out.headers.emplace(header.name, std::move(header.value));
  if (response.close) out.headers.emplace("Connection", "close");
  if (auto* text = std::get_if<std::string>(&response.body)) return void(out.body = std::move(*text));
  environment->chunks = std::move(std::get<std::unique_ptr<ChunkSource>>(response.body));
  const std::string type = out.get_header_value("Content-Type");
  out.headers.erase("Content-Type");  // the next call adds it
  out.set_chunked_content_provider(type, [environment](std::size_t, httplib::DataSink& sink) {
    const auto chunk = run_ready(environment->chunks->next(environment->context));
    if (!chunk) return false;  // the body is incomplete: the connection is closed
    if (!*chunk) return sink.done(), true;
    return sink.write((*chunk)->data(), (*chunk)->size());
  });
}

// Corrects what cpp-httplib adds: a compressed form needs an ETag of its own, and no ranges are served.
void correct(const httplib::Request&, httplib::Response& out) {
  out.headers.erase("Accept-Ranges");
  const auto tag = out.headers.find("ETag");
  const std::string coding = out.get_header_value("Content-Encoding");
  if (tag != out.headers.end() && !coding.empty()) tag->second.insert(tag->second.size() - 1, "-" + coding);
}

// Answers one request. The task never suspends: without a RequestSuspension in the Context, stores block the thread.
void answer(Portal& portal, const httplib::Request& in, httplib::Response& out, ChunkSource* body) {
  std::vector<HeaderView> headers;
  for (const auto& [name, value] : in.headers) headers.push_back({name, value});
  const Request request{.method = in.method,
                        .target = in.target,
                        .headers = headers,
                        .scheme_is_https = portal.is_tls,
                        .forwarding_trusted = in.remote_addr == portal.trusted_proxy,
                        .body = body};
  auto environment = std::make_shared<Environment>(portal);
  auto response = run_ready(portal.service.handle(environment->context, request));
  send(std::move(*response), environment, out);
}

// The routes of cpp-httplib: every path of each method, since the core has its own table.
void add_routes(httplib::Server& server, Portal& portal) {
  const std::string every_path = R"([\s\S]*)";
  const auto without_body = [&portal](const auto& in, auto& out) { answer(portal, in, out, nullptr); };
  const auto with_body = [&portal](const auto& in, auto& out, const httplib::ContentReader& reader) {
    RequestBody body(&reader);
    answer(portal, in, out, &body);
    const int status = out.status;
    if (!body.is_needed()) reader([](auto...) { return true; });  // cpp-httplib 0.18 would parse it as a request
    out.status = status;
  };
  server.set_expect_100_continue_handler([&portal](const auto& in, auto& out) {
    RequestBody body(nullptr);
    answer(portal, in, out, &body);
    return body.is_needed() ? (out = {}, 100) : out.status;
  });
  server.Get(every_path, without_body);  // and HEAD
  server.Options(every_path, without_body);
  server.Put(every_path, with_body);
  server.Post(every_path, with_body);
  server.Patch(every_path, with_body);
  server.Delete(every_path, with_body);
}

std::expected<Settings, std::string> read_settings() {
  Settings settings;
  settings.tokens.issuer = variable("PORTAIL_ISSUER");
  settings.tokens.audiences = values_of_list(variable("PORTAIL_AUDIENCE"));
  settings.tokens.tenant = variable("PORTAIL_TENANT");
  settings.tokens.subject_claim = variable("PORTAIL_SUBJECT_CLAIM", "sub");
  settings.tokens.leeway_seconds = std::atoi(variable("PORTAIL_LEEWAY", "60").c_str());
  settings.allowed_origins = values_of_list(variable("PORTAIL_ALLOW_ORIGIN"));
  settings.filter_lists = variable("PORTAIL_FILTER_LISTS") == "1";
  const auto transport = read_transport("PORTAIL_TRANSPORT", variable("PORTAIL_TRANSPORT", "direct"));
  if (!transport) return std::unexpected(transport.error());
  settings.transport = *transport;
  return settings;
}

// The key set of a URL or a file, which is read again every five minutes and when a token has an unknown key.
std::unique_ptr<keys::Document> key_document(const Settings& settings) {
  const std::string name = variable("PORTAIL_JWKS", "public.json");
  if (auto location = key_location(name, settings.transport))
    return std::make_unique<keys::RemoteDocument>(*location, settings.tokens.issuer, keys::FetchOptions{});
  return std::make_unique<keys::FileDocument>(name, "PORTAIL_JWKS");
}

int fail(const std::string& reason) { return std::fprintf(stderr, "%s\n", reason.c_str()), EXIT_FAILURE; }

}  // namespace

int main() {
  if (sodium_init() < 0) return fail("no source of random bytes");
  const auto settings = read_settings();
  if (!settings) return fail(settings.error());
  const auto url = parse_store_url(variable("PORTAIL_STORE", "memory:"));
  if (!url) return fail(url.error());
  const auto store = open_store(*url, StoreAccess::create);
  if (!store) return fail(store.error());
  Portal portal(*settings, key_document(*settings), **store);
  const std::string certificate = variable("PORTAIL_TLS_CERT"), key = variable("PORTAIL_TLS_KEY");
  portal.is_tls = !certificate.empty();
  const auto server = portal.is_tls ? std::make_unique<httplib::SSLServer>(certificate.c_str(), key.c_str())
                                    : std::make_unique<httplib::Server>();
  if (!server->is_valid()) return fail("PORTAIL_TLS_CERT: the certificate or its key cannot be used");
  add_routes(*server, portal);
  server->set_post_routing_handler(correct);
  server->set_payload_max_length(1024 * 1024);
  server->set_tcp_nodelay(true);
  server->set_keep_alive_timeout(1);  // seconds; after an error, cpp-httplib closes the connection only then
  const int wanted = std::atoi(variable("PORT", "0").c_str());
  const int port = wanted == 0                                 ? server->bind_to_any_port("127.0.0.1")
                   : server->bind_to_port("127.0.0.1", wanted) ? wanted
                                                               : -1;
  if (port < 0) return fail("PORT: cannot listen on this port");
  std::printf("listening on %s://127.0.0.1:%d\n", portal.is_tls ? "https" : "http", port);
  std::fflush(stdout);
  return server->listen_after_bind() ? EXIT_SUCCESS : EXIT_FAILURE;
}
