import "./styles.css";
import { render } from "preact";
import { App } from "./app";
import { resumeSession } from "./session";
import { portalSettings, type PortalSettings } from "./settings";
import { useResource } from "./service/loaded";
import { requestJson, ServiceError } from "./service/ask";
import { FaultPage } from "./parts/fault";

// A host that serves only the files has no settings; the user pastes a token.
async function start(): Promise<boolean> {
  portalSettings.value = await requestJson<PortalSettings>("page/settings.json").catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return { signIn: null, personas: [] };
    throw error;
  });
  return resumeSession(portalSettings.value);
}

function Start() {
  const { value, fault, wait, retry } = useResource("start", start);
  if (value) return <App />;
  return fault === null ? null : (
    <main class="container">
      <FaultPage fault={fault} wait={wait} retry={retry} />
    </main>
  );
}

render(<Start />, document.body);
