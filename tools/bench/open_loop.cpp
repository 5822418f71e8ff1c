// An open loop: requests are sent at a constant rate, independent of the server's answers, like those of many clients.
// A request waits if all connections are busy; its latency is measured from its planned time, which avoids "coordinated
// omission".
//   open_loop --port N --connections N --phase RATE:SECONDS [--phase …] --request FILE [--request FILE …]
// A RATE of 0 is a closed loop: each connection sends its next request when it has an answer, which saturates the
// server. FILE has the bytes of one HTTP/1.1 request; requests are sent in turn, without TLS, to 127.0.0.1. Each line
// of the output is a JSON object for a slice of time (by planned times) or for a phase: the numbers of answers with 200
// and with 503, and the latency of the former in microseconds.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr double slice_seconds = 0.05;
constexpr double drain_timeout = 20;

struct Phase {
  double rate;
  double seconds;
};

struct Arguments {
  int port = 0;
  std::size_t connections = 0;
  std::vector<Phase> phases;
  std::vector<std::string> requests;
};

[[noreturn]] void fail(const std::string& reason) {
  std::fprintf(stderr, "open_loop: %s\n", reason.c_str());
  std::exit(1);
}

std::string contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(std::string("cannot read ") + path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Arguments read_arguments(int argc, char** argv) {
  Arguments read;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const char* const value = argv[i + 1];
    Phase phase{};
    if (name == "--port") read.port = std::atoi(value);
    if (name == "--connections") read.connections = std::strtoul(value, nullptr, 10);
    if (name == "--request") read.requests.push_back(contents(value));
    if (name == "--phase" && std::sscanf(value, "%lf:%lf", &phase.rate, &phase.seconds) == 2) {
      read.phases.push_back(phase);
    }
  }
  if (read.port == 0 || read.connections == 0 || read.phases.empty() || read.requests.empty()) {
    fail("--port, --connections, --phase and --request are needed");
  }
  return read;
}

// Counters of requests that were planned in one span of time.
struct Tally {
  double from = 0;
  double seconds = 0;
  std::uint64_t planned = 0;
  std::uint64_t shed = 0;
  std::uint64_t failed = 0;
  std::vector<std::uint32_t> accepted;  // latencies, microseconds
};

double percentile(std::vector<std::uint32_t>& values, double part) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

void print(const char* kind, Tally& tally) {
  const double p50 = percentile(tally.accepted, 0.5);
  const double p99 = percentile(tally.accepted, 0.99);
  std::printf(R"({"kind":"%s","from":%.3f,"seconds":%.3f,"planned":%llu,"accepted":%zu,"shed":%llu,"failed":%llu,)"
              R"("p50":%.0f,"p99":%.0f})"
              "\n",
              kind, tally.from, tally.seconds, static_cast<unsigned long long>(tally.planned), tally.accepted.size(),
              static_cast<unsigned long long>(tally.shed), static_cast<unsigned long long>(tally.failed), p50, p99);
}

// The size and status of the first answer in the bytes; a size of 0 if it is incomplete.
struct Answer {
  std::size_t size = 0;
  int status = 0;
};
Answer parse_answer(std::string_view bytes) {
  const std::size_t head = bytes.find("\r\n\r\n");
  if (head == std::string_view::npos) return {};
  const std::size_t field = bytes.substr(0, head).find("\r\nContent-Length: ");
  if (field == std::string_view::npos) fail("an answer without a length");
  const std::size_t size = head + 4 + std::strtoul(bytes.data() + field + 18, nullptr, 10);
  if (bytes.size() < size) return {};
  return {.size = size, .status = std::atoi(bytes.data() + 9)};
}

struct Client {
  int socket = -1;
  std::string received;
  double planned = 0;
};

class OpenLoop {
 public:
  explicit OpenLoop(const Arguments& arguments)
      : arguments_(arguments), poll_(epoll_create1(0)), clients_(arguments.connections) {
    for (Client& client : clients_) {
      connect(client);
      idle_.push_back(&client);
    }
    double from = 0;
    for (const Phase& phase : arguments.phases) {
      phases_.push_back({.from = from, .seconds = phase.seconds, .accepted = {}});
      from += phase.seconds;
    }
    const auto slices = static_cast<std::size_t>(from / slice_seconds + 0.5);
    for (std::size_t i = 0; i < slices; ++i) {
      slices_.push_back({.from = static_cast<double>(i) * slice_seconds, .seconds = slice_seconds, .accepted = {}});
    }
  }

  void run() {
    start_ = Clock::now();
    std::size_t sent = 0;
    for (std::size_t at = 0; at < phases_.size(); ++at) {
      const double rate = arguments_.phases[at].rate;
      if (rate == 0) run_closed_loop(phases_[at].from + phases_[at].seconds);
      const auto planned = static_cast<std::size_t>(rate * phases_[at].seconds);
      for (std::size_t i = 0; i < planned; ++i) {
        const double when = phases_[at].from + static_cast<double>(i) / rate;
        while (now() < when) read_answers();
        schedule(when);
        if (++sent % 16 == 0) read_answers();  // also if the schedule is late
      }
    }
    const double last = now() + drain_timeout;
    while ((idle_.size() < clients_.size() || !pending_.empty()) && now() < last) read_answers();
    for (Tally& slice : slices_) print("slice", slice);
    for (Tally& phase : phases_) print("phase", phase);
  }

 private:
  void connect(Client& client) {
    client.socket = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in server{};
    server.sin_family = AF_INET;
    server.sin_port = htons(static_cast<std::uint16_t>(arguments_.port));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(client.socket, reinterpret_cast<const sockaddr*>(&server), sizeof server) != 0) {
      fail(std::string("cannot connect: ") + std::strerror(errno));
    }
    const int on = 1;
    setsockopt(client.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(client.socket, F_SETFL, O_NONBLOCK);
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &client}};
    epoll_ctl(poll_, EPOLL_CTL_ADD, client.socket, &event);
  }

  [[nodiscard]] double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void schedule(double when) {
    pending_.push_back(when);
    count(when, [](Tally& tally) { ++tally.planned; });
    send_pending();
  }

  void run_closed_loop(double end) {
    while (now() < end) {
      while (!idle_.empty()) schedule(now());
      read_answers();
    }
  }

  template <typename Change>
  void count(double planned, Change change) {
    const auto slice = static_cast<std::size_t>(planned / slice_seconds);
    if (slice < slices_.size()) change(slices_[slice]);
    for (Tally& phase : phases_) {
      if (planned >= phase.from && planned < phase.from + phase.seconds) change(phase);
    }
  }

  void send_pending() {
    while (!pending_.empty() && !idle_.empty()) {
      Client& client = *idle_.front();
      idle_.pop_front();
      client.planned = pending_.front();
      pending_.pop_front();
      const std::string& request = arguments_.requests[next_++ % arguments_.requests.size()];
      if (write(client.socket, request.data(), request.size()) != static_cast<ssize_t>(request.size()))
        reconnect(client);
    }
  }

  void read_answers() {
    std::array<epoll_event, 64> events;
    const int ready = epoll_wait(poll_, events.data(), events.size(), 0);
    for (int i = 0; i < ready; ++i) {
      Client& client = *static_cast<Client*>(events.at(static_cast<std::size_t>(i)).data.ptr);
      std::array<char, 65536> bytes;
      const ssize_t size = read(client.socket, bytes.data(), bytes.size());
      if (size < 0 && errno == EAGAIN) continue;
      if (size <= 0) {
        reconnect(client);
        continue;
      }
      client.received.append(bytes.data(), static_cast<std::size_t>(size));
      const Answer answer = parse_answer(client.received);
      if (answer.size == 0) continue;
      client.received.erase(0, answer.size);
      finish(client, answer.status);
    }
    if (ready > 0) send_pending();
  }

  void finish(Client& client, int status) {
    const auto latency = static_cast<std::uint32_t>((now() - client.planned) * 1e6);
    count(client.planned, [&](Tally& tally) {
      if (status == 200) {
        tally.accepted.push_back(latency);
      } else if (status == 503) {
        ++tally.shed;
      } else {
        ++tally.failed;
      }
    });
    idle_.push_back(&client);
  }

  void reconnect(Client& client) {
    close(client.socket);
    client.received.clear();
    connect(client);
    finish(client, 0);
  }

  const Arguments& arguments_;
  int poll_;
  std::vector<Client> clients_;
  std::deque<Client*> idle_;
  std::deque<double> pending_;  // planned times
  std::vector<Tally> phases_;
  std::vector<Tally> slices_;
  std::size_t next_ = 0;
  Clock::time_point start_;
};

}  // namespace

int main(int argc, char** argv) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const Arguments arguments = read_arguments(argc, argv);
  OpenLoop(arguments).run();
  return 0;
}
