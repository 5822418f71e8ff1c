// A Service Worker answers for the folder that it lies in and what is beneath: this one for the whole origin.
import "./portail/worker.js";
