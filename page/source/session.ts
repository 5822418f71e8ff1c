// The session: signed in by the identity provider, as a persona of a development portal, or with a pasted token.
import { signal } from "@preact/signals";
import type { Provider } from "./provider";
import type { PortalSettings } from "./settings";
import { tabStorage } from "./storage";

export interface Session {
  token: string;
  how: "provider" | "persona" | "token";
}

export const session = signal<Session | null>(null);
/**
 * Why the session ended, a pasted token was refused or sign-in failed, as the service or the provider reports it; null before an attempt and
 * after sign-out.
 */
export const sessionEnd = signal<{ how: "ended" | "refused" | "failed"; text: string | null } | null>(null);

const name = "portail.session"; // of this tab
let provider: Provider | null = null;

/** Restores this tab's session or completes a sign-in with the provider. Returns false in the hidden frame of a token renewal. */
export async function resumeSession({ signIn }: PortalSettings): Promise<boolean> {
  if (signIn) {
    provider = new (await import("./provider")).Provider(signIn, {
      onSignedIn: (token) => (session.value = { token, how: "provider" }),
      onExpired: () => endSession(null),
      onFailed: (text) => (sessionEnd.value = { how: "failed", text }),
    });
    if (!(await provider.resume())) return false;
  }
  const saved = tabStorage.getItem(name);
  if (saved && !session.peek()) session.value = JSON.parse(saved) as Session;
  return true;
}

export function startSession(started: Session): void {
  tabStorage.setItem(name, JSON.stringify(started));
  sessionEnd.value = null;
  session.value = started;
}

export async function signIn(): Promise<void> {
  await provider?.signIn().catch((error: Error) => (sessionEnd.value = { how: "failed", text: error.message }));
}

export async function signOut(): Promise<void> {
  const previous = session.value;
  endSession(null);
  sessionEnd.value = null;
  location.hash = "";
  if (previous?.how === "provider") await provider?.signOut();
}

/** Renews the token of a session with the provider. Returns whether there is a new token. */
export async function renewToken(): Promise<boolean> {
  return session.peek()?.how === "provider" && (await provider!.renew());
}

/** `message` and `reason` are of the service's answer; the reason is that of a refused token (RFC 6750). */
export function endSession(message: string | null, reason: string | null = null): void {
  tabStorage.removeItem(name);
  sessionEnd.value = session.peek()?.how === "token" ? { how: "refused", text: reason } : { how: "ended", text: message };
  session.value = null;
}
