// A Service Worker answers for the folder that it lies in and what is beneath: this one for the whole origin.
// Browsers look at this file for a newer version: `assemble` replaces VERSION by a hash of all the others.
import "./portail/worker.js?VERSION";
