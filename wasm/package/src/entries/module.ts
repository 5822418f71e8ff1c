// For who has the compiled module already, or compiles it in a way of their own: a Service Worker from its cache, say.
export { creator } from "../creator.js";
export type * from "../portail.js";
