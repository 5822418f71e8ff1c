// Reads values from the directory /data, with the host calls of the portal's store: a file is checked, opened, read and
// closed.
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "core/files/open_file.hpp"
#include "tools/bench/edge/answer.hpp"

namespace minimal {
namespace {

constexpr std::size_t max_file_size = 16 * 1024;

struct Folder {
  int number = open("/data", O_RDONLY | O_DIRECTORY);
  std::vector<std::string> files = keys();
};

}  // namespace

void read_values() {
  static const Folder folder;
  for (const std::string& name : folder.files) {
    const auto opened = portail::open_file(folder.number, name.c_str());
    char bytes[max_file_size];
    if (!opened || read(opened->file.number(), bytes, sizeof bytes) <= 0) std::abort();
  }
}

}  // namespace minimal
