// The constant server of server.py: cpp-httplib, which answers every GET with the same bytes and headers.
//   constant_server --headers FILE --body FILE --workers N [--tls-cert FILE --tls-key FILE]
// FILE of --headers has a "Name: value" per line. Prints its port, on 127.0.0.1.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <httplib.h>

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "constant_server: cannot read %s\n", path.c_str());
    std::exit(1);
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::pair<std::string, std::string>> headers_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    begin = end + 1;
  }
  return headers;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> arguments;
  for (int i = 1; i + 1 < argc; i += 2) arguments[argv[i]] = argv[i + 1];
  const std::string body = contents(arguments["--body"]);
  const auto headers = headers_of(contents(arguments["--headers"]));
  const std::size_t workers = std::strtoul(arguments["--workers"].c_str(), nullptr, 10);

  std::unique_ptr<httplib::Server> server;
  if (arguments.contains("--tls-cert")) {
    server = std::make_unique<httplib::SSLServer>(arguments["--tls-cert"].c_str(), arguments["--tls-key"].c_str());
  } else {
    server = std::make_unique<httplib::Server>();
  }
  server->new_task_queue = [workers] { return new httplib::ThreadPool(workers); };
  server->set_tcp_nodelay(true);
  server->set_keep_alive_max_count(1'000'000'000);
  server->Get(".*", [&](const httplib::Request&, httplib::Response& response) {
    std::string type = "text/plain";
    for (const auto& [name, value] : headers) {
      if (name == "Content-Type") {
        type = value;
      } else {
        response.set_header(name, value);
      }
    }
    response.set_content(body, type);
  });
  const int port = server->bind_to_any_port("127.0.0.1");
  std::printf("%d\n", port);
  std::fflush(stdout);
  return server->listen_after_bind() ? 0 : 1;
}
