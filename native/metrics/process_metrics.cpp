#include "native/metrics/process_metrics.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <prometheus/metric_family.h>
#include <sys/resource.h>
#include <unistd.h>

#include "native/metrics/families.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double number_of_open_files() {
  std::error_code failed;
  double count = -1;  // the directory itself is open too
  for (fs::directory_iterator file("/proc/self/fd", failed); !failed && file != fs::directory_iterator();
       file.increment(failed)) {
    ++count;
  }
  return count;
}

}  // namespace

std::vector<prometheus::MetricFamily> process_metrics(Instant started) {
  std::vector<prometheus::MetricFamily> families;
  families.push_back(gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.",
                           static_cast<double>(started.microseconds) / 1e6));
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    families.push_back(counter("process_cpu_seconds_total", "Processor time of the process, user and system.",
                               seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)));
  }
  double pages_in_all = 0;
  double pages_resident = 0;
  if (std::ifstream("/proc/self/statm") >> pages_in_all >> pages_resident) {
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    families.push_back(gauge("process_virtual_memory_bytes", "Mapped memory.", pages_in_all * page));
    families.push_back(gauge("process_resident_memory_bytes", "Resident memory.", pages_resident * page));
  }
  if (const double files = number_of_open_files(); files >= 0) {
    families.push_back(gauge("process_open_fds", "Open files and sockets.", files));
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    families.push_back(
        gauge("process_max_fds", "Maximum number of open files and sockets.", static_cast<double>(limit.rlim_cur)));
  }
  return families;
}

}  // namespace portail
