// For callers that compile the module themselves, such as a Service Worker from its cache.
export { creator, managementCreator } from "../creator.js";
export type * from "../portail.js";
