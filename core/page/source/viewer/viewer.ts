// The OpenAPI viewer: Swagger UI, with a search over all operations.
import "swagger-ui-dist/swagger-ui.css";
import "./viewer.css";
import SwaggerUI, { type SwaggerRequest, type Operation, type TaggedOperations } from "swagger-ui-dist/swagger-ui-bundle.js";
import { tokenIn } from "../pasted_token";
import { browserStorage } from "../storage";

// The theme that the user selected on the portal's page, or the system's. Swagger UI's own style has both.
const system = matchMedia("(prefers-color-scheme: dark)");
function applyTheme(): void {
  const selected = browserStorage.getItem("portail.theme");
  document.documentElement.classList.toggle("dark-mode", selected ? selected === "dark" : system.matches);
}
applyTheme();
system.addEventListener("change", applyTheme);

function searchTextOf(each: Operation): string {
  const words = [each.get("method"), each.get("path"), each.getIn(["operation", "summary"]), each.getIn(["operation", "operationId"])];
  return words.join(" ").toLowerCase();
}

// Replaces Swagger UI's filter, which matches tags only.
function search(tags: TaggedOperations, phrase: string): TaggedOperations {
  const searchText = phrase.toLowerCase();
  return tags
    .map((tag) => tag.update("operations", (operations) => operations.filter((each) => searchTextOf(each).includes(searchText))))
    .filter((tag) => tag.get("operations").size > 0);
}

// The document's server is "/". A proxy may add a base path, so the page's own address replaces it.
const servers = [{ url: new URL("..", document.baseURI).href }];
const updateJsonSpec = (update: (api: object) => unknown) => (api: object) => update({ ...api, servers });

// Swagger UI prefixes the pasted text with "Bearer".
function withToken(request: SwaggerRequest): SwaggerRequest {
  const { Authorization: header } = request.headers;
  if (header) request.headers.Authorization = `Bearer ${tokenIn(header)}`;
  return request;
}

SwaggerUI({
  url: "v1/swagger.json",
  domNode: document.querySelector("main"),
  deepLinking: true,
  filter: true,
  requestInterceptor: withToken,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null, // nothing goes to another server
  plugins: [{ fn: { opsFilter: search }, statePlugins: { spec: { wrapActions: { updateJsonSpec } } } }],
});
