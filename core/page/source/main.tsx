import "./styles.css";
import { render } from "preact";
import { App } from "./app";
import { resume, type PortalSettings } from "./session";
import { useLoaded } from "./service/loaded";
import { askJson, Refusal } from "./service/ask";
import { FaultAlone } from "./parts/fault";

// A host without settings of its own serves the files only: then a token is all there is.
async function start(): Promise<PortalSettings | null> {
  const settings = await askJson<PortalSettings>("page/settings.json").catch((error: unknown) => {
    if (error instanceof Refusal && error.status === 404) return { signIn: null, personas: [] };
    throw error;
  });
  return (await resume(settings)) ? settings : null;
}

function Start() {
  const { value, fault, wait, again } = useLoaded("start", start);
  if (value) return <App settings={value} />;
  return fault === null ? null : (
    <main class="container">
      <FaultAlone fault={fault} wait={wait} again={again} />
    </main>
  );
}

render(<Start />, document.body);
