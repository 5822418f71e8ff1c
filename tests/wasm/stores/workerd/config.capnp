using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "conformance", worker = .conformance),
    (name = "values", worker = .values),
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
  bindings = [(name = "VALUES", kvNamespace = "values")],
);

const values :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  modules = [(name = "values.js", esModule = embed "values.js")],
  bindings = [(name = "FOLDER", service = "folder")],
);
