# The management interface of the portal of config.capnp, over the same folder, at an address of its own.
using Workerd = import "/workerd/workerd.capnp";
using Portail = import "config.capnp";

const config :Workerd.Config = (
  services = [(name = "manage", worker = .manage), Portail.internet, Portail.folder],
  sockets = [(name = "manage", address = "127.0.0.1:8481", http = (), service = "manage")],
);

const manage :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  bindings = Portail.bindings,
  modules = [
    (name = "worker.js", esModule = embed "manage.js"),
    (name = "portail/entries/management_workerd.js", esModule = embed "node_modules/portail/dist/entries/management_workerd.js"),
    (name = "portail/stores/cloudflare_kv.js", esModule = embed "node_modules/portail/dist/stores/cloudflare_kv.js"),
    (name = "portail/portail-manage.wasm", wasm = embed "node_modules/portail/dist/portail-manage.wasm"),
  ],
);
