// The page: makes the Service Worker answer for this origin, and says which data and which persona it answers with.
import * as dataSet from "./data_set.js";
import { recall, remember } from "./state.js";
import { keySet, tokenOf } from "./tokens.js";

const anonymous = { name: "anonymous", description: "Without a token." };
const own = "my own";
const part = (id) => document.getElementById(id);

let personas = [anonymous];

part("sample").addEventListener("click", () => loading(sample()));
part("file").addEventListener("change", ({ target }) => {
  if (target.files[0]) loading(dropped(target.files[0]));
  target.value = ""; // so that the same file can be chosen again
});
part("personas").addEventListener("change", ({ target }) => choose(personas[target.selectedIndex]));
part("use").addEventListener("click", useOwn);
part("request").addEventListener("submit", (event) => {
  event.preventDefault();
  part("answer").textContent = "";
  send().catch((error) => (part("head").textContent = String(error)));
});
const drop = part("drop");
drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  if (event.dataTransfer.files[0]) loading(dropped(event.dataTransfer.files[0]));
});
tellOfNewer(navigator.serviceWorker);
start().catch((error) => (part("status").textContent = String(error)));

// From the page's first moment on: the worker that loaded it may be replaced while it starts.
function tellOfNewer(serviceWorker) {
  let inCharge = serviceWorker?.controller;
  serviceWorker?.addEventListener("controllerchange", () => {
    if (inCharge) part("newer").hidden = false;
    inCharge = serviceWorker.controller;
  });
}

async function start() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) throw new Error("Service Workers need https, or localhost");
  const registration = await serviceWorker.register("/portail-worker.js", { type: "module", scope: "/", updateViaCache: "none" });
  const { active } = await serviceWorker.ready;
  // A page that was loaded before its worker, or past it, gets it a moment later.
  if (!serviceWorker.controller) {
    const inCharge = new Promise((resolve) => serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
    active.postMessage("claim");
    await inCharge;
  }
  // Chromium lets a newer worker wait for good where the old one had to answer just when it was to be replaced.
  setInterval(() => registration.waiting?.postMessage("replace the old one"), 1000);
  personas = [...(await (await fetch("personas.json")).json()), anonymous];
  await dataSet.loadFirst(sample);
  await choose((await recall("persona")) ?? personas[0]);
  await showData();
  part("status").textContent = "answering for this origin";
}

async function sample() {
  return ["sample portal", await (await fetch("sample.jsonl")).text()];
}

async function dropped(file) {
  return [file.name, await file.text()];
}

async function loading(data) {
  part("fault").textContent = "";
  part("data-name").textContent = "loading…";
  const [name, text] = await data;
  try {
    await dataSet.load(name, text);
  } catch (error) {
    const reason = error.name === "QuotaExceededError" ? "this browser has no room for it" : error.message;
    part("fault").textContent = `${name}: ${reason}`;
  }
  await showData();
}

async function showData() {
  const { name, values } = await dataSet.current();
  part("data-name").textContent = name;
  part("data-values").textContent = values;
}

async function choose(persona) {
  await remember("persona", persona);
  if (persona.name === own) personas = [...personas.filter(({ name }) => name !== own), persona];
  part("personas").replaceChildren(...personas.map(({ name }) => new Option(name)));
  part("personas").selectedIndex = personas.findIndex(({ name }) => name === persona.name);
  part("description").textContent = persona.description ?? "";
  part("persona").value = JSON.stringify({ ...persona, description: undefined }, undefined, 1);
  part("token").value = persona.sub ? await tokenOf(persona) : "";
  part("keys").value = JSON.stringify(await keySet());
  part("personas").dataset.chosen = persona.name;
}

async function useOwn() {
  part("persona-fault").textContent = "";
  try {
    await choose({ ...JSON.parse(part("persona").value), name: own });
  } catch (error) {
    part("persona-fault").textContent = error.message;
  }
}

async function send() {
  const method = part("method").value;
  const request = method === "GET" ? {} : { method, headers: { "Content-Type": "application/json" }, body: part("body").value };
  const begin = performance.now();
  const answer = await fetch(part("target").value, request);
  const text = await answer.text();
  const took = (performance.now() - begin).toFixed(1);
  const { headers } = answer;
  const kind = headers.get("content-type") ?? "no body";
  part("head").textContent = `${answer.status} · ${kind} · ETag ${headers.get("etag") ?? "none"} · ${took} ms`;
  part("answer").textContent = indented(text);
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
