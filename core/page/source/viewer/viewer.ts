// The interface's description, for people: Swagger UI, with a search over all operations.
import "swagger-ui-dist/swagger-ui.css";
import "./viewer.css";
import SwaggerUI, { type Asked, type Operation, type TaggedOperations } from "swagger-ui-dist/swagger-ui-bundle.js";
import { tokenIn } from "../pasted_token";

function saysOf(each: Operation): string {
  const words = [each.get("method"), each.get("path"), each.getIn(["operation", "summary"]), each.getIn(["operation", "operationId"])];
  return words.join(" ").toLowerCase();
}

// Swagger UI's own filter looks at tags alone.
function search(tags: TaggedOperations, phrase: string): TaggedOperations {
  const wanted = phrase.toLowerCase();
  return tags
    .map((tag) => tag.update("operations", (operations) => operations.filter((each) => saysOf(each).includes(wanted))))
    .filter((tag) => tag.get("operations").size > 0);
}

// The document names its server "/"; this one may be below a path of a proxy, which it knows nothing of.
const servers = [{ url: new URL("..", document.baseURI).href }];
const updateJsonSpec = (update: (api: object) => unknown) => (api: object) => update({ ...api, servers });

// Swagger UI puts a "Bearer" before whatever was pasted.
function withToken(request: Asked): Asked {
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
