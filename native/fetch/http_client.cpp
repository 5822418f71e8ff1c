#include "native/fetch/http_client.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <new>

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/text.hpp"
#include "native/http/tls.hpp"

namespace portail {

SocketCanceller::SocketCanceller(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop)
    : on_stop_(stop, [this] { cancel(); }), timer_([this, deadline](const std::stop_token& timer_stop) {
        std::unique_lock lock(mutex_);
        changed_.wait_until(lock, timer_stop, deadline, [this] { return is_cancelled_; });
        if (!timer_stop.stop_requested() && !is_cancelled_) shut_down_socket();
      }) {}

void SocketCanceller::watch(int socket) {
  const std::lock_guard lock(mutex_);
  socket_ = Descriptor(dup(socket));
  if (is_cancelled_) shut_down_socket();
}

bool SocketCanceller::is_cancelled() {
  const std::lock_guard lock(mutex_);
  return is_cancelled_;
}

void SocketCanceller::cancel() {
  const std::lock_guard lock(mutex_);
  shut_down_socket();
  changed_.notify_all();
}

void SocketCanceller::shut_down_socket() {
  is_cancelled_ = true;
  if (socket_) shutdown(socket_.number(), SHUT_RDWR);
}

namespace {

using std::chrono::milliseconds, std::chrono::steady_clock;
using Kind = ExchangeFault::Kind;

constexpr milliseconds max_wait{60'000};  // of one call
constexpr const char* no_path = nullptr;
constexpr std::string_view no_answer = "the connection was closed without an answer";

std::unexpected<ExchangeFault> fault(Kind kind, std::string reason) {
  return std::unexpected(ExchangeFault{.kind = kind, .reason = std::move(reason)});
}

bool is_visible(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (c >= '\0' && c < ' ' && c != '\t') || c == '\x7f'; });
}

class HeaderList {
 public:
  // An empty value is sent too.
  void add(std::string_view name, std::string_view value) {
    std::string line(name);
    line.append(value.empty() ? ";" : ": ").append(value);
    curl_slist* const longer = curl_slist_append(list_.get(), line.c_str());
    if (!longer) throw std::bad_alloc();
    [[maybe_unused]] curl_slist* const shorter = list_.release();
    list_.reset(longer);
  }
  [[nodiscard]] curl_slist* get() const { return list_.get(); }

 private:
  struct Free {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  std::unique_ptr<curl_slist, Free> list_;
};

// The state of an exchange, and libcurl's callbacks. These do not throw.
struct Transfer {
  const HttpRequest& request;
  const HttpClientOptions& options;
  HttpAnswer answer = {};
  bool has_head = false;
  std::string reason = {};  // why a callback ended the exchange
  std::array<char, CURL_ERROR_SIZE> curl_reason = {};

  // Returns the number of bytes that were accepted: all, or none.
  template <class Receive>
  std::size_t received(std::size_t size, const Receive& receive) {
    try {
      if (receive()) return size;
      if (reason.empty()) reason = "the receiver failed";
    } catch (const std::exception& error) {
      reason = error.what();
    }
    return CURL_WRITEFUNC_ERROR;
  }

  static std::size_t receive_line(const char* bytes, std::size_t, std::size_t size, void* transfer) {
    auto& self = *static_cast<Transfer*>(transfer);
    return self.received(size, [&self, bytes, size] { return self.add_line({bytes, size}); });
  }
  static std::size_t receive_body(const char* bytes, std::size_t, std::size_t size, void* transfer) {
    auto& self = *static_cast<Transfer*>(transfer);
    return self.received(size, [&self, bytes, size] {
      if (self.request.on_body) return self.request.on_body({bytes, size});
      self.answer.body.append(bytes, size);
      return true;
    });
  }
  static CURLcode set_up_tls(CURL*, void* context, void* transfer) {
    auto& self = *static_cast<Transfer*>(transfer);
    auto* const tls = static_cast<SSL_CTX*>(context);
    // libcurl's own default is one file, whose path differs between distributions.
    if (self.options.tls.ca_file.empty()) SSL_CTX_set_default_verify_paths(tls);
    if (self.options.may_end_abruptly) SSL_CTX_set_options(tls, SSL_OP_IGNORE_UNEXPECTED_EOF);
    return CURLE_OK;
  }

 private:
  // Adds a line of a head. Each head replaces the one before it, which was of an interim answer, or of a 417 after
  // which libcurl sends the request again without Expect; trailers are ignored.
  bool add_line(std::string_view line) {
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("HTTP/")) {
      const std::size_t space = std::min(line.find(' '), line.size() - 1);
      has_head = false;
      answer = {};
      std::from_chars(line.data() + space + 1, line.data() + line.size(), answer.status);
      return true;
    }
    if (has_head) return true;
    if (line.empty()) {
      if (answer.status == 101) reason = "it answered 101, and no other protocol was requested";
      if (!reason.empty()) return false;
      has_head = answer.status >= 200;
      return !has_head || !request.on_head || request.on_head(answer);
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return true;
    answer.headers.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1), " \t"));
    return true;
  }
};

// Returns " to HOST port PORT", the origin's or the proxy's, of libcurl's text, without the time that it has too.
std::string peer_of(std::string_view reason) {
  constexpr std::string_view begin = "Failed to connect";
  if (!reason.starts_with(begin)) return {};
  return std::string(reason.substr(begin.size(), reason.find(" after ") - begin.size()));
}

std::string describe(CURL* handle, CURLcode code, const Transfer& transfer) {
  if (!transfer.reason.empty()) return transfer.reason;
  const std::string_view reason = transfer.curl_reason.data();
  // These texts have the whole URL.
  if (reason.starts_with("Unsupported proxy")) {
    return "HTTPS_PROXY, https_proxy or ALL_PROXY is not a valid proxy URL; percent-encode /, # and @ in its password";
  }
  const auto info = [handle](CURLINFO name) {
    long value = 0;
    (curl_easy_getinfo)(handle, name, &value);
    return value;
  };
  if (const long status = info(CURLINFO_HTTP_CONNECTCODE); status >= 300) {
    return "the proxy of HTTPS_PROXY or ALL_PROXY answered " + std::to_string(status) + " instead of connecting; " +
           (status == 407 ? "give its URL the user and the password that it demands" : "let it connect to this host");
  }
  switch (code) {
    case CURLE_COULDNT_CONNECT:
      return "Could not establish connection" + peer_of(reason);
    case CURLE_PEER_FAILED_VERIFICATION: {
      const long of_proxy = info(CURLINFO_PROXY_SSL_VERIFYRESULT);
      const long verified = of_proxy == X509_V_OK ? info(CURLINFO_SSL_VERIFYRESULT) : of_proxy;
      // The name is compared first, before this result is set.
      return std::string(of_proxy == X509_V_OK ? "its certificate" : "the certificate of the proxy") +
             (verified > X509_V_ERR_UNSPECIFIED ? " is not from a trusted authority, or has expired"
                                                : " is for another name");
    }
    case CURLE_SSL_CACERT_BADFILE:
      return "the trusted authorities cannot be read";
    case CURLE_GOT_NOTHING:
      return std::string(no_answer);
    case CURLE_PARTIAL_FILE:
      return "the answer was cut off";
    case CURLE_RECV_ERROR:  // also of malformed chunks
      if (transfer.has_head && (reason.starts_with("Recv failure") || reason.contains("SSL_read")))
        return "the answer was cut off";
      break;
    case CURLE_WRITE_ERROR:  // no callback failed: bytes after the end of the compressed content
    case CURLE_BAD_CONTENT_ENCODING:
      return "its content is not of its Content-Encoding";
    default:
      break;
  }
  return reason.empty() ? curl_easy_strerror(code) : std::string(reason);
}

// Leaves the transfer without connections and without pointers to its exchange.
class TransferEnd {
 public:
  TransferEnd(CURLM* connections, CURL* handle) : connections_(connections), handle_(handle) {}
  TransferEnd(const TransferEnd&) = delete;
  TransferEnd& operator=(const TransferEnd&) = delete;
  ~TransferEnd() {
    curl_multi_remove_handle(connections_, handle_);
    curl_easy_reset(handle_);
  }

 private:
  CURLM* connections_;
  CURL* handle_;
};

// Ends with libcurl's result, or with the fault of the deadline or the stop request.
std::expected<CURLcode, ExchangeFault> perform(CURLM* connections, steady_clock::time_point deadline,
                                               const std::stop_token& stop) {
  const std::stop_callback wake(stop, [connections] { curl_multi_wakeup(connections); });
  for (;;) {
    if (stop.stop_requested()) return fault(Kind::stopped, "stopped");
    // Rounded up, so as not to poll without waiting before the deadline.
    const auto remaining = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (remaining.count() <= 0) return fault(Kind::timed_out, "timed out");
    int running = 0;
    CURLMcode code = curl_multi_perform(connections, &running);
    if (code == CURLM_OK && running > 0) {
      code = curl_multi_poll(connections, nullptr, 0, static_cast<int>(std::min(remaining, max_wait).count()), nullptr);
      if (code == CURLM_OK) continue;
    }
    if (code != CURLM_OK) return fault(Kind::failed, curl_multi_strerror(code));
    int remaining_messages = 0;
    const CURLMsg* const message = curl_multi_info_read(connections, &remaining_messages);
    return message ? message->data.result : CURLE_RECV_ERROR;
  }
}

}  // namespace

std::string_view HttpAnswer::header(std::string_view name) const {
  const auto found =
      std::ranges::find_if(headers, [name](const auto& header) { return equals_ignoring_case(name, header.first); });
  return found == headers.end() ? std::string_view() : found->second;
}

void HttpClient::FreeTransfer::operator()(void* handle) const { curl_easy_cleanup(handle); }
void HttpClient::FreeConnections::operator()(void* handle) const { curl_multi_cleanup(handle); }

HttpClient::HttpClient(Url origin, HttpClientOptions options)
    : origin_(std::move(origin)),
      options_(std::move(options)),
      transfer_(curl_easy_init()),
      connections_(curl_multi_init()) {}

std::expected<HttpAnswer, ExchangeFault> HttpClient::exchange(const HttpRequest& request,
                                                              steady_clock::time_point deadline,
                                                              const std::stop_token& stop) try {
  CURL* const handle = transfer_.get();
  if (!handle || !connections_) return fault(Kind::failed, "libcurl cannot be initialised");
  HeaderList headers;
  for (const auto& [name, value] : request.headers) {
    if (!is_visible(name) || !is_visible(value)) return fault(Kind::failed, "a header has a control character");
    headers.add(name, value);
  }
  if (!options_.decode) headers.add("Accept-Encoding", "identity");
  if (!options_.keep_alive) headers.add("Connection", "close");

  std::string chain;  // in PEM
  if (!options_.tls.certificate.empty()) {
    const auto own = TlsContext::load({.name = options_.tls.certificate, .setting = "--client-cert"},
                                      {.name = options_.tls.key, .setting = "--client-key"});
    if (!own) return fault(Kind::failed, own.error());
    chain = own->chain_in_pem();
  }

  Transfer transfer{.request = request, .options = options_};
  CURLcode set_up = CURLE_OK;
  const auto set = [handle, &set_up](CURLoption option, auto value) {
    const CURLcode code = (curl_easy_setopt)(handle, option, value);
    if (set_up == CURLE_OK) set_up = code;
  };
  const std::string host = origin_.host.contains(':') ? '[' + origin_.host + ']' : origin_.host;
  const std::string url = (origin_.is_https ? "https://" : "http://") + host + ':' + std::to_string(origin_.port) + '/';
  const std::string method(request.method);
  const TransferEnd end(connections_.get(), handle);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // the end of an exchange does not wait for a lookup
  set(CURLOPT_ERRORBUFFER, transfer.curl_reason.data());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  set(CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  const auto remaining = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  set(CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(
          std::clamp(options_.connect_timeout, milliseconds(1), std::max(remaining, milliseconds(1))).count()));
  set(CURLOPT_USERAGENT, "portail");
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_REQUEST_TARGET, request.target.c_str());
  if (method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (method != "GET") {
    set(CURLOPT_CUSTOMREQUEST, method.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.data() ? request.body.data() : "");
  }
  set(CURLOPT_HTTPHEADER, headers.get());
  if (options_.decode) set(CURLOPT_ACCEPT_ENCODING, "");
  if (!options_.keep_alive) set(CURLOPT_FORBID_REUSE, 1L);
  if (options_.is_direct || !origin_.is_https || is_loopback(origin_)) set(CURLOPT_PROXY, "");
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  // Without the system's authorities beside those of the file, which are a proxy's nevertheless.
  set(CURLOPT_CAPATH, no_path);
  set(CURLOPT_PROXY_CAINFO, no_path);
  set(CURLOPT_PROXY_CAPATH, no_path);
  if (options_.tls.ca_file.empty()) {
    set(CURLOPT_CAINFO, no_path);
  } else {
    set(CURLOPT_CAINFO, options_.tls.ca_file.c_str());
    set(CURLOPT_PROXY_CAINFO, std::getenv(X509_get_default_cert_file_env()));
    const char* const folder = std::getenv(X509_get_default_cert_dir_env());
    set(CURLOPT_PROXY_CAPATH, folder ? folder : X509_get_default_cert_dir());
  }
  if (!chain.empty()) {  // not in set_up_tls(), which is also called for a proxy
    curl_blob blob{.data = chain.data(), .len = chain.size(), .flags = CURL_BLOB_NOCOPY};
    set(CURLOPT_SSLCERT_BLOB, &blob);
    set(CURLOPT_SSLKEY, options_.tls.key.c_str());
  }
  set(CURLOPT_SSL_CTX_FUNCTION, &Transfer::set_up_tls);
  set(CURLOPT_SSL_CTX_DATA, &transfer);
  set(CURLOPT_HEADERFUNCTION, &Transfer::receive_line);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_WRITEFUNCTION, &Transfer::receive_body);
  set(CURLOPT_WRITEDATA, &transfer);
  if (set_up != CURLE_OK) return fault(Kind::failed, curl_easy_strerror(set_up));
  if (const CURLMcode code = curl_multi_add_handle(connections_.get(), handle); code != CURLM_OK) {
    return fault(Kind::failed, curl_multi_strerror(code));
  }
  const auto code = perform(connections_.get(), deadline, stop);
  if (!code) return std::unexpected(code.error());
  if (*code == CURLE_OPERATION_TIMEDOUT) return fault(Kind::timed_out, "timed out");
  if (*code != CURLE_OK) return fault(Kind::failed, describe(handle, *code, transfer));
  if (!transfer.has_head) return fault(Kind::failed, std::string(no_answer));
  return std::move(transfer.answer);
} catch (const std::exception& error) {
  return fault(Kind::failed, error.what());
}

}  // namespace portail
