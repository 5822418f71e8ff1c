using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "conformance", worker = .conformance),
    (name = "folder", disk = (writable = true)),
  ],
);

const conformance :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "portail/conformance.js", esModule = embed "node_modules/portail/dist/conformance.js"),
    (name = "portail/stores/cloudflare_kv.js", esModule = embed "node_modules/portail/dist/stores/cloudflare_kv.js"),
  ],
  bindings = [(name = "VALUES", kvNamespace = "folder")],
);
