// Who is signed in, and how: by the identity provider, as a persona of a development portal, or by a token that was pasted.
import { signal } from "@preact/signals";
import type { Provider } from "./provider";
import { ofTab } from "./storage";

export interface Session {
  token: string;
  how: "provider" | "persona" | "token";
}

export interface SignIn {
  authority: string;
  client: string;
  scope: string;
  parameters: Record<string, string>;
}

export interface Persona {
  name: string;
  description: string;
  token: string;
}

/** What the server says of this portal at page/settings.json. */
export interface PortalSettings {
  signIn: SignIn | null;
  personas: Persona[];
}

export const session = signal<Session | null>(null);
/** Why no user is signed in any more, or not yet, as the service or the provider reports it; null: no attempt yet, or signed out. */
export const ending = signal<{ how: "ended" | "failed"; text: string | null } | null>(null);

const name = "portail.session"; // of this tab
let provider: Provider | null = null;

/** Takes up the session of this tab, or the sign-in that the provider has just sent back. False: this is no page but a renewal. */
export async function resume({ signIn }: PortalSettings): Promise<boolean> {
  if (signIn) {
    provider = new (await import("./provider")).Provider(signIn, {
      began: (token) => (session.value = { token, how: "provider" }),
      ended: () => endSession(null),
      failed: (text) => (ending.value = { how: "failed", text }),
    });
    if (!(await provider.resume())) return false;
  }
  const kept = ofTab.getItem(name);
  if (kept && !session.peek()) session.value = JSON.parse(kept) as Session;
  return true;
}

export function begin(begun: Session): void {
  ofTab.setItem(name, JSON.stringify(begun));
  ending.value = null;
  session.value = begun;
}

export async function signIn(): Promise<void> {
  await provider?.signIn().catch((error: Error) => (ending.value = { how: "failed", text: error.message }));
}

export async function signOut(): Promise<void> {
  const left = session.value;
  endSession(null);
  ending.value = null;
  location.hash = "";
  if (left?.how === "provider") await provider?.signOut();
}

/** Whether there is another token now, of the same person. */
export async function renewed(): Promise<boolean> {
  return session.peek()?.how === "provider" && (await provider!.renew());
}

export function endSession(text: string | null): void {
  ofTab.removeItem(name);
  ending.value = { how: "ended", text };
  session.value = null;
}
