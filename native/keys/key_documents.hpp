// The sources of a key set's text: a setting, a file or a URL.
#pragma once

#include <chrono>
#include <expected>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>

#include "core/auth/key_url.hpp"
#include "core/http/transport.hpp"

namespace portail::keys {

// The source of a key set's text. One thread at a time.
class Document {
 public:
  virtual ~Document() = default;

  // The name in messages: "keys.json", "https://issuer.example/keys".
  [[nodiscard]] virtual std::string name() const = 0;
  // Returns the current text. The error is one line for the operator, with the name. Returns soon after `stop`.
  virtual std::expected<std::string, std::string> read(std::stop_token stop) = 0;
};

// A setting's text.
class TextDocument final : public Document {
 public:
  explicit TextDocument(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] std::string name() const override { return "the key set given as text"; }
  std::expected<std::string, std::string> read(std::stop_token) override { return text_; }

 private:
  std::string text_;
};

// A file of at most 1 MiB. It is read again only if its inode, size or times have changed.
class FileDocument final : public Document {
 public:
  // `setting` is the setting that names the file, for messages.
  FileDocument(std::string file, std::string setting) : file_(std::move(file)), setting_(std::move(setting)) {}

  [[nodiscard]] std::string name() const override { return file_; }
  std::expected<std::string, std::string> read(std::stop_token stop) override;

 private:
  std::string file_;
  std::string setting_;
  struct stat last_stat_{};  // when the file was read; st_ino 0: not read yet
  std::expected<std::string, std::string> text_;
};

struct FetchOptions {
  std::string ca_file;                        // PEM file of trusted certificate authorities; empty: the system's
  std::chrono::milliseconds timeout{10'000};  // for the whole request, including name resolution
};

// Sends one GET. Returns the body of a 200, at most max_fetched_size. parse_key_url() must accept the URL with
// `transport`. Verifies the server's certificate and does not follow redirects. The error is one line with the URL
// without its query. `deadline` applies also while the peer sends nothing; `stop` ends the call immediately. Any
// thread.
std::expected<std::string, std::string> http_get(std::string_view url, Transport transport, const std::string& ca_file,
                                                 std::chrono::steady_clock::time_point deadline, std::stop_token stop);

// A document at a URL: the operator's, or that of the issuer's discovery document.
class RemoteDocument final : public Document {
 public:
  RemoteDocument(KeyLocation location, std::string issuer, FetchOptions options)
      : location_(std::move(location)), issuer_(std::move(issuer)), options_(std::move(options)) {}

  [[nodiscard]] std::string name() const override { return std::string(without_query(location_.url)); }
  // With discovery, fetches both documents each time, within one timeout.
  std::expected<std::string, std::string> read(std::stop_token stop) override;

 private:
  KeyLocation location_;
  std::string issuer_;
  FetchOptions options_;
};

}  // namespace portail::keys
