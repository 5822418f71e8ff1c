// The page: registers the Service Worker for this origin, and selects its data and its persona.
import * as dataSet from "./data_set.js";
import { readState, writeState } from "./state.js";
import { keySet, tokenOf } from "./tokens.js";

const anonymous = { name: "anonymous", description: "Without a token." };
const ownPersona = "my own";
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
notifyOfNewVersion(navigator.serviceWorker);
start().catch((error) => (part("status").textContent = String(error)));

// Called first: the worker that served the page may be replaced while the page starts, also before its scripts run.
function notifyOfNewVersion(serviceWorker) {
  let controller = serviceWorker?.controller;
  if (controller) offerNewVersion(1);
  serviceWorker?.addEventListener("controllerchange", () => {
    if (controller) offerNewVersion(5);
    controller = serviceWorker.controller;
  });
}

// Shows the link if the worker serves another version of this page. While one worker replaces another, a request can fail, or be answered by
// the old one: then it is asked again, a second later.
async function offerNewVersion(attempts) {
  for (let attempt = 0; attempt < attempts && part("newer").hidden; ++attempt) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, 1000));
    const page = await fetch("./").then((answer) => answer.text(), () => undefined);
    if (page === undefined) continue;
    const served = new DOMParser().parseFromString(page, "text/html").documentElement.dataset.version;
    part("newer").hidden = served === document.documentElement.dataset.version;
  }
}

async function start() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) throw new Error("Service Workers need https, or localhost");
  const registration = await serviceWorker.register("/portail-worker.js", { type: "module", scope: "/", updateViaCache: "none" });
  const { active } = await serviceWorker.ready;
  // A page that was loaded before its worker, or without it, is claimed by it.
  if (!serviceWorker.controller) {
    const controller = new Promise((resolve) => serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
    active.postMessage("claim");
    await controller;
  }
  // In Chromium a newer worker may wait forever if the old one handled a request while it was replaced.
  setInterval(() => registration.waiting?.postMessage("replace the old one"), 1000);
  personas = [...(await (await fetch("personas.json")).json()), anonymous];
  await dataSet.loadFirst(sample);
  await choose((await readState("persona")) ?? personas[0]);
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
  await writeState("persona", persona);
  if (persona.name === ownPersona) personas = [...personas.filter(({ name }) => name !== ownPersona), persona];
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
    await choose({ ...JSON.parse(part("persona").value), name: ownPersona });
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
  const milliseconds = (performance.now() - begin).toFixed(1);
  const { headers } = answer;
  const kind = headers.get("content-type") ?? "no body";
  part("head").textContent = `${answer.status} · ${kind} · ETag ${headers.get("etag") ?? "none"} · ${milliseconds} ms`;
  part("answer").textContent = indented(text);
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
