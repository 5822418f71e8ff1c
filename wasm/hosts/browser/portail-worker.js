// The scope of a Service Worker is its folder; this one's is the whole origin. Browsers check this file for a new version: `assemble`
// replaces VERSION by a hash of all other files.
import "./portail/worker.js?VERSION";
