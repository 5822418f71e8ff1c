// The HTTP client of the exporter. It replaces OpenTelemetry's client (1.19), which buffers answers of any length. This
// one keeps only the status, and closes the connection if an answer exceeds its limit. It uses libcurl with the same
// options.
//
// The exporter calls HttpClientFactory. The factory defined here precedes that of the library in symbol lookup;
// tests/native/telemetry/otlp_test.py fails if it does not.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <curl/curl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <opentelemetry/ext/http/client/http_client.h>
#include <opentelemetry/ext/http/client/http_client_factory.h>
#include <opentelemetry/nostd/function_ref.h>
#include <opentelemetry/nostd/string_view.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

namespace http = opentelemetry::ext::http::client;
using opentelemetry::nostd::function_ref;
using LibraryView = opentelemetry::nostd::string_view;
using std::chrono::milliseconds;

// Bytes of an answer on the connection, with head, interim answers and chunk headers.
constexpr std::uint64_t max_answer = 64 * 1024;
constexpr std::string_view limit_reason = " its answer is longer than 64 KiB";

struct ReleaseHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct ReleaseList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

class HeaderList {
 public:
  void add(const std::string& line) {
    curl_slist* const lines = list_.release();
    curl_slist* const longer = curl_slist_append(lines, line.c_str());
    list_.reset(longer ? longer : lines);
  }
  [[nodiscard]] curl_slist* get() const { return list_.get(); }

 private:
  std::unique_ptr<curl_slist, ReleaseList> list_;
};

// The parameters that the exporter sets for a post.
class Post final : public http::Request {
 public:
  void SetMethod(http::Method) noexcept override {}                   // always POST
  void SetUri(LibraryView) noexcept override {}                       // the session has the URL
  void SetCompression(const http::Compression&) noexcept override {}  // Debian's library compresses nothing either
  void EnableLogging(bool) noexcept override {}
  void SetRetryPolicy(const http::RetryPolicy&) noexcept override {}  // no retries
  void SetSslOptions(const http::HttpSslOptions& options) noexcept override { tls = options; }
  void SetBody(http::Body& bytes) noexcept override { body = std::move(bytes); }
  void SetTimeoutMs(milliseconds limit) noexcept override { timeout = limit; }
  void AddHeader(LibraryView name, LibraryView value) noexcept override {
    headers.add(std::string(name.data(), name.size()).append(": ").append(value.data(), value.size()));
  }
  void ReplaceHeader(LibraryView name, LibraryView value) noexcept override { AddHeader(name, value); }

  http::HttpSslOptions tls;
  http::Body body;
  milliseconds timeout{};
  HeaderList headers;
};

class StatusResponse final : public http::Response {
 public:
  explicit StatusResponse(http::StatusCode status) : status_(status) {}
  const http::Body& GetBody() const noexcept override { return body_; }
  bool ForEachHeader(function_ref<bool(LibraryView, LibraryView)>) const noexcept override { return true; }
  bool ForEachHeader(const LibraryView&, function_ref<bool(LibraryView, LibraryView)>) const noexcept override {
    return true;
  }
  http::StatusCode GetStatusCode() const noexcept override { return status_; }

 private:
  http::StatusCode status_;
  http::Body body_;  // always empty; the exporter would only log it
};

// The open sockets of libcurl. One thread at a time; must outlive its handle.
class OpenSockets {
 public:
  // The number of bytes that the kernel received on them; a socket without statistics counts 0.
  [[nodiscard]] std::uint64_t received() const {
    std::uint64_t sum = 0;
    for (const curl_socket_t socket : sockets_) {
      tcp_info info{};
      socklen_t size = sizeof info;
      if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) sum += info.tcpi_bytes_received;
    }
    return sum;
  }

  // libcurl's callbacks.
  static int opened(void* sockets, curl_socket_t socket, curlsocktype) {
    static_cast<OpenSockets*>(sockets)->sockets_.push_back(socket);
    return CURL_SOCKOPT_OK;
  }
  static int close_socket(void* sockets, curl_socket_t socket) {
    std::erase(static_cast<OpenSockets*>(sockets)->sockets_, socket);
    return close(socket);
  }

 private:
  std::vector<curl_socket_t> sockets_;
};

// The state of a transfer in libcurl.
struct Transfer {
  const OpenSockets& sockets;
  const std::atomic<bool>& cancelled;
  std::uint64_t discarded = 0;  // bytes of the answer that libcurl delivered
  std::uint64_t before = 0;     // bytes received on the sockets before the request was sent
  bool exceeds_limit = false;

  // libcurl's callbacks.
  static std::size_t discard(const char*, std::size_t size, std::size_t count, void* transfer) {
    auto& self = *static_cast<Transfer*>(transfer);
    self.discarded += size * count;
    self.exceeds_limit = self.exceeds_limit || self.discarded > max_answer;
    return self.exceeds_limit ? 0 : size * count;
  }
  static int connected(void* transfer, char*, char*, int, int) {
    auto& self = *static_cast<Transfer*>(transfer);
    self.before = self.sockets.received();
    return CURL_PREREQFUNC_OK;
  }
  static int progressed(void* transfer, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& self = *static_cast<Transfer*>(transfer);
    self.exceeds_limit = self.exceeds_limit || self.sockets.received() > self.before + max_answer;
    return self.exceeds_limit || self.cancelled ? 1 : 0;
  }
};

class Client;

// One post, on the thread that sends it.
class PostSession final : public http::Session {
 public:
  PostSession(Client& client, LibraryView url) : client_(client), url_(url.data(), url.size()) {}

  std::shared_ptr<http::Request> CreateRequest() noexcept override { return post_ = std::make_shared<Post>(); }
  void SendRequest(std::shared_ptr<http::EventHandler> handler) noexcept override;
  bool IsSessionActive() noexcept override { return false; }  // SendRequest() is synchronous
  bool CancelSession() noexcept override { return true; }
  bool FinishSession() noexcept override { return true; }

 private:
  Client& client_;
  const std::string url_;
  std::shared_ptr<Post> post_;
};

// Outlives its sessions. Any thread.
class Client final : public http::HttpClient {
 public:
  std::shared_ptr<http::Session> CreateSession(LibraryView url) noexcept override {
    return std::make_shared<PostSession>(*this, url);
  }
  bool CancelAllSessions() noexcept override { return cancelled_ = true; }
  bool FinishAllSessions() noexcept override { return true; }
  void SetMaxSessionsPerConnection(std::size_t) noexcept override {}

  // Posts, and calls `handler` with the answer or the error.
  void send(const std::string& url, const Post& post, http::EventHandler& handler) {
    const std::lock_guard lock(mutex_);
    if (!handle_) return handler.OnEvent(http::SessionState::CreateFailed, " libcurl cannot be initialised");
    curl_easy_reset(handle_.get());  // keeps the connection for the next post
    Transfer transfer{.sockets = sockets_, .cancelled = cancelled_};
    std::string reason(CURL_ERROR_SIZE, '\0');
    CURLcode code = set_up(url, post, transfer, reason);
    if (code == CURLE_OK) code = curl_easy_perform(handle_.get());
    if (code == CURLE_OK) {
      long status = 0;
      (curl_easy_getinfo)(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
      StatusResponse answer(static_cast<http::StatusCode>(status));
      return handler.OnResponse(answer);
    }
    if (transfer.exceeds_limit) return handler.OnEvent(http::SessionState::NetworkError, library_view(limit_reason));
    reason.resize(reason.find('\0'));
    handler.OnEvent(state_of(code), reason.empty() ? LibraryView(curl_easy_strerror(code)) : library_view(reason));
  }

 private:
  static LibraryView library_view(std::string_view text) { return {text.data(), text.size()}; }

  static http::SessionState state_of(CURLcode code) {
    switch (code) {
      case CURLE_COULDNT_RESOLVE_PROXY:
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_CONNECT:
        return http::SessionState::ConnectFailed;
      case CURLE_SSL_CONNECT_ERROR:
      case CURLE_PEER_FAILED_VERIFICATION:
        return http::SessionState::SSLHandshakeFailed;
      default:
        return http::SessionState::SendFailed;
    }
  }

  // Sets all options and returns the first error. `reason` must have CURL_ERROR_SIZE bytes.
  CURLcode set_up(const std::string& url, const Post& post, Transfer& transfer, std::string& reason) {
    CURLcode fault = CURLE_OK;
    const auto set = [this, &fault](CURLoption option, auto value) {
      const CURLcode code = (curl_easy_setopt)(handle_.get(), option, value);
      if (fault == CURLE_OK) fault = code;
    };
    const auto set_text = [&set](CURLoption option, const std::string& text) {
      if (!text.empty()) set(option, text.c_str());
    };
    // As a file's path, or as the text itself.
    const auto set_pem = [&](CURLoption option, const std::string& path, CURLoption blob, const std::string& text) {
      set_text(option, path);
      if (!path.empty() || text.empty()) return;
      curl_blob bytes{.data = const_cast<char*>(text.data()), .len = text.size(), .flags = CURL_BLOB_COPY};
      set(blob, &bytes);
    };
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, reason.data());
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    set(CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(post.timeout.count())));
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(post.body.size()));
    set(CURLOPT_POSTFIELDS, reinterpret_cast<const char*>(post.body.data()));
    set(CURLOPT_HTTPHEADER, post.headers.get());
    set(CURLOPT_HEADERFUNCTION, &Transfer::discard);
    set(CURLOPT_HEADERDATA, &transfer);
    set(CURLOPT_WRITEFUNCTION, &Transfer::discard);
    set(CURLOPT_WRITEDATA, &transfer);
    set(CURLOPT_PREREQFUNCTION, &Transfer::connected);
    set(CURLOPT_PREREQDATA, &transfer);
    set(CURLOPT_SOCKOPTFUNCTION, &OpenSockets::opened);
    set(CURLOPT_SOCKOPTDATA, &sockets_);
    set(CURLOPT_CLOSESOCKETFUNCTION, &OpenSockets::close_socket);
    set(CURLOPT_CLOSESOCKETDATA, &sockets_);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::progressed);
    set(CURLOPT_XFERINFODATA, &transfer);
    const http::HttpSslOptions& tls = post.tls;
    if (!tls.use_ssl) return fault;
    const long min = tls.ssl_min_tls == "1.3" ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2;
    const long max = tls.ssl_max_tls == "1.2"   ? CURL_SSLVERSION_MAX_TLSv1_2
                     : tls.ssl_max_tls == "1.3" ? CURL_SSLVERSION_MAX_TLSv1_3
                                                : CURL_SSLVERSION_MAX_DEFAULT;
    set(CURLOPT_SSLVERSION, min | max);
    set_pem(CURLOPT_CAINFO, tls.ssl_ca_cert_path, CURLOPT_CAINFO_BLOB, tls.ssl_ca_cert_string);
    set_pem(CURLOPT_SSLCERT, tls.ssl_client_cert_path, CURLOPT_SSLCERT_BLOB, tls.ssl_client_cert_string);
    set_pem(CURLOPT_SSLKEY, tls.ssl_client_key_path, CURLOPT_SSLKEY_BLOB, tls.ssl_client_key_string);
    set_text(CURLOPT_SSL_CIPHER_LIST, tls.ssl_cipher);
    set_text(CURLOPT_TLS13_CIPHERS, tls.ssl_cipher_suite);
    return fault;
  }

  std::mutex mutex_;  // guards the members below
  OpenSockets sockets_;
  const std::unique_ptr<CURL, ReleaseHandle> handle_{curl_easy_init()};
  std::atomic<bool> cancelled_ = false;
};

void PostSession::SendRequest(std::shared_ptr<http::EventHandler> handler) noexcept {
  client_.send(url_, *post_, *handler);
}

}  // namespace

std::shared_ptr<http::HttpClient> http::HttpClientFactory::Create(
    const std::shared_ptr<opentelemetry::sdk::common::ThreadInstrumentation>&) {
  return std::make_shared<Client>();
}
