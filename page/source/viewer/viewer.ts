// The OpenAPI viewer: Swagger UI, with a search over all operations.
import "swagger-ui-dist/swagger-ui.css";
import "./viewer.css";
import SwaggerUI, { type SwaggerRequest, type Operation, type TaggedOperations } from "swagger-ui-dist/swagger-ui-bundle.js";
import { tokenIn } from "../pasted_token";
import { browserStorage } from "../storage";
import { readSignIn } from "./portal_sign_in";
import type { Document, OAuth2 } from "./viewer_oauth2";

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

// Swagger UI prefixes the pasted text with "Bearer".
function withToken(request: SwaggerRequest): SwaggerRequest {
  const { Authorization: header } = request.headers;
  if (header) request.headers.Authorization = `Bearer ${tokenIn(header)}`;
  return request;
}

// The portal's identity provider; null: there is none, or it does not answer, and the user pastes a token.
async function loadOAuth2(): Promise<OAuth2 | null> {
  const signIn = await readSignIn();
  if (!signIn) return null;
  const { OAuth2 } = await import("./viewer_oauth2");
  return OAuth2.create(signIn);
}

// The document's server is "/". A proxy may add a base path, so the page's own address replaces it.
const servers = [{ url: new URL("..", document.baseURI).href }];

async function show(): Promise<void> {
  const oauth2 = await loadOAuth2().catch((error: Error) => {
    console.warn(`The identity provider does not answer: ${error.message}`);
    return null;
  });
  const changed = (api: Document): object => ({ ...(oauth2?.addTo(api) ?? api), servers });
  const updateJsonSpec = (update: (api: object) => unknown) => (api: Document) => update(changed(api));
  const viewerPlugin = { fn: { opsFilter: search }, statePlugins: { spec: { wrapActions: { updateJsonSpec } } } };
  const ui = SwaggerUI({
    url: "v1/swagger.json",
    domNode: document.querySelector("main"),
    deepLinking: true,
    filter: true,
    requestInterceptor: withToken,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null, // nothing goes to another server
    plugins: [viewerPlugin, ...(oauth2 ? [oauth2.plugin] : [])],
  });
  await oauth2?.restore(ui);
}

void show();
