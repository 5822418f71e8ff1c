// The message of an exception, which names the limit of the process that caused it.
#pragma once

#include <exception>
#include <string>
#include <system_error>

namespace portail {

inline std::string describe_error(const std::exception& error) {
  const std::string what = error.what();
  const auto* const failed = dynamic_cast<const std::system_error*>(&error);
  if (failed && failed->code() == std::errc::resource_unavailable_try_again) {  // of std::thread
    return "cannot start a thread: " + what +
           ": raise the limit of threads and processes (ulimit -u; systemd: TasksMax; containers: --pids-limit), or of "
           "memory (ulimit -v)";
  }
  if (failed && failed->code() == std::errc::too_many_files_open)
    return what + ": raise the limit of open files (ulimit -n)";
  return what;
}

}  // namespace portail
