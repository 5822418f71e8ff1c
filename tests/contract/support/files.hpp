// Files and child processes of the suite.
#pragma once

#include <string>
#include <string_view>

namespace portail::contract {

std::string read_file(const std::string& path);  // throws std::runtime_error
void write_file(const std::string& path, std::string_view bytes);

// A temporary directory, removed with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct CommandResult {
  int status = -1;     // exit status; -1 after a signal
  std::string output;  // standard output and error
};
CommandResult run_command(const std::string& command);

}  // namespace portail::contract
