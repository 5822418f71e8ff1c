#include "native/system/small_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace portail {
namespace {

// Of the names that files of certificates, keys and tokens have.
constexpr std::array<std::string_view, 9> extensions{".pem", ".crt",  ".cer", ".key", ".json",
                                                     ".jwk", ".jwks", ".jwt", ".txt"};

bool is_file_name(std::string_view text) {
  const bool is_one_word = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
  return is_one_word && std::ranges::any_of(extensions, [text](std::string_view each) { return text.ends_with(each); });
}

}  // namespace

bool may_be_content(const std::string& file) {
  for (const char* beginning : {"/", "./", "../"}) {
    if (file.starts_with(beginning)) return false;
  }
  if (is_file_name(file)) return false;
  std::error_code ignored;
  return !std::filesystem::exists(file, ignored);
}

std::expected<std::string, std::string> read_small_file(const std::string& file, const std::string& setting,
                                                        std::size_t max_mebibytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    return std::unexpected("cannot read " + file + ": it is a folder; give " + setting + " a file");
  std::ifstream input(file, std::ios::binary);
  if (!input) {
    const int error = errno;
    const std::string name = may_be_content(file) ? "the file that " + setting + " names" : file;
    return std::unexpected("cannot read " + name + ": " + std::strerror(error) + "; give " + setting +
                           " a file that this user may read");
  }
  const std::size_t max_size = max_mebibytes << 20U;
  std::string text(max_size + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.size() > max_size)
    return std::unexpected(file + " is larger than " + std::to_string(max_mebibytes) + " MiB: it cannot be what " +
                           setting + " takes");
  return text;
}

}  // namespace portail
