# A worker with a constant answer, read from files in its directory.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "constant", worker = .constant)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "constant")],
);

const constant :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  bindings = [(name = "HEADERS", text = embed "headers"), (name = "BODY", data = embed "body")],
  modules = [(name = "constant_workerd.mjs", esModule = embed "constant_workerd.mjs")],
);
