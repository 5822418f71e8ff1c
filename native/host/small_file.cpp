#include "native/host/small_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace portail {
namespace {

constexpr std::size_t largest_small_file = std::size_t{1} << 20;

}  // namespace

std::expected<std::string, std::string> read_small_file(const std::string& file, const std::string& flag) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    return std::unexpected("cannot read " + file + ": it is a folder; give " + flag + " a file");
  std::ifstream input(file, std::ios::binary);
  if (!input) {
    return std::unexpected("cannot read " + file + ": " + std::strerror(errno) + "; give " + flag +
                           " a file that this user may read");
  }
  std::string text(largest_small_file + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.size() > largest_small_file)
    return std::unexpected(file + " is larger than 1 MiB: it cannot be what " + flag + " takes");
  return text;
}

}  // namespace portail
