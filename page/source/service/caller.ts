// The caller's identity and permissions, as the service reports them.
import { endSession, renewToken, session } from "../session";
import { request, requestJson, ServiceError } from "./ask";

/** What the page reads of ABP's configuration of an application. */
export interface Configuration {
  auth: { grantedPolicies: Record<string, boolean> };
  currentUser: { isAuthenticated: boolean; id: string | null; userName: string | null; name?: string | null };
}

/** Loads the caller's configuration. The service answers 200 even for an invalid token; an unauthenticated caller throws a 401 here. */
export async function requestCaller(signal: AbortSignal): Promise<Configuration> {
  const load = () => requestJson<Configuration>("api/abp/application-configuration", { signal });
  let caller = await load();
  if (!caller.currentUser.isAuthenticated && (await renewToken())) caller = await load();
  if (caller.currentUser.isAuthenticated) return caller;
  if (session.peek()?.how === "token") await request("api/app/liasse", { signal }); // refused, with the reason
  endSession(null);
  throw new ServiceError(401, "", null, null);
}
