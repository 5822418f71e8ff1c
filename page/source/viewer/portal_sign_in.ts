// The identity provider of the portal's settings, for the viewer.
import type { PortalSettings, SignIn } from "../settings";

/** Returns the identity provider; null if none is configured, or if the host serves only the files. */
export async function readSignIn(): Promise<SignIn | null> {
  const answer = await fetch(new URL("../page/settings.json", document.baseURI));
  return answer.ok ? ((await answer.json()) as PortalSettings).signIn : null;
}
