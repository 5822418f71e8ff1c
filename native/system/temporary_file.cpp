#include "native/system/temporary_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace portail {

std::string temporary_folder(const std::string& otherwise) {
  const char* folder = std::getenv("TMPDIR");
  if (folder && *folder) return folder;
  return otherwise.empty() ? "/tmp" : otherwise;
}

std::expected<Descriptor, std::string> create_temporary_file(const std::string& folder) {
  Descriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file && (errno == EOPNOTSUPP || errno == EISDIR)) {  // the file system gives each file a name
    std::string name = folder + "/~portail-XXXXXX";         // no key of a store in that folder
    file = Descriptor(mkostemp(name.data(), O_CLOEXEC));
    if (file) unlink(name.c_str());
  }
  if (!file) return std::unexpected(folder_fault(folder, errno));
  return file;
}

std::string folder_fault(const std::string& folder, int error) {
  return "cannot write to the folder " + folder + ": " + std::strerror(error) +
         "; set TMPDIR to one that this user may write to, with enough space";
}

}  // namespace portail
