# workerd on this machine: the portal, with a folder as its KV namespace. workerd accesses the folder over HTTP (GET, PUT and DELETE of a
# key, GET of their list), and its files are the values.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "portail", worker = .portail), .internet, .folder],
  sockets = [(name = "http", address = "127.0.0.1:8480", http = (), service = "portail")],
);

# The key set of PORTAIL_JWKS is fetched through it; "local" allows addresses of this machine, for trials.
const internet :Workerd.Service =
  (name = "internet", network = (allow = ["public", "local"], tlsOptions = (trustBrowserCas = true)));
const folder :Workerd.Service = (name = "folder", disk = (path = "data", writable = true));

const portail :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  bindings = .bindings,
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "portail/entries/workerd.js", esModule = embed "node_modules/portail/dist/entries/workerd.js"),
    (name = "portail/stores/cloudflare_kv.js", esModule = embed "node_modules/portail/dist/stores/cloudflare_kv.js"),
    (name = "portail/page.js", esModule = embed "node_modules/portail/dist/page.js"),
    (name = "portail/portail.wasm", wasm = embed "node_modules/portail/dist/portail.wasm"),
  ],
);

const bindings :List(Workerd.Worker.Binding) = [
  (name = "VALUES", kvNamespace = "folder"),
  (name = "PORTAIL_ISSUER", fromEnvironment = "PORTAIL_ISSUER"),
  (name = "PORTAIL_AUDIENCE", fromEnvironment = "PORTAIL_AUDIENCE"),
  (name = "PORTAIL_JWKS", fromEnvironment = "PORTAIL_JWKS"),
  (name = "PORTAIL_JWKS_REFRESH", fromEnvironment = "PORTAIL_JWKS_REFRESH"),
  (name = "PORTAIL_JWKS_TIMEOUT", fromEnvironment = "PORTAIL_JWKS_TIMEOUT"),
  (name = "PORTAIL_JWKS_MAX_AGE", fromEnvironment = "PORTAIL_JWKS_MAX_AGE"),
  (name = "PORTAIL_TENANT", fromEnvironment = "PORTAIL_TENANT"),
  (name = "PORTAIL_SUBJECT_CLAIM", fromEnvironment = "PORTAIL_SUBJECT_CLAIM"),
  (name = "PORTAIL_LEEWAY", fromEnvironment = "PORTAIL_LEEWAY"),
  (name = "PORTAIL_FILTER_LISTS", fromEnvironment = "PORTAIL_FILTER_LISTS"),
  (name = "PORTAIL_ALLOW_ORIGINS", fromEnvironment = "PORTAIL_ALLOW_ORIGINS"),
  (name = "PORTAIL_LOG_KEY", fromEnvironment = "PORTAIL_LOG_KEY"),
  (name = "PORTAIL_MANAGE_SUBJECTS", fromEnvironment = "PORTAIL_MANAGE_SUBJECTS"),
  (name = "PORTAIL_AUDIT_RETENTION", fromEnvironment = "PORTAIL_AUDIT_RETENTION"),
  (name = "PORTAIL_MANAGE_MAX_DOCUMENT", fromEnvironment = "PORTAIL_MANAGE_MAX_DOCUMENT"),
  (name = "PORTAIL_TRANSPORT", fromEnvironment = "PORTAIL_TRANSPORT"),
];
