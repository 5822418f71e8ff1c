// Who the service takes the caller for, and what they may do.
import { endSession, renewed } from "../session";
import { askJson, Refusal } from "./ask";
import type { Configuration } from "./types";

/** Of the user who is signed in. The service never refuses this: a token that it does not accept counts as none, which here is a 401. */
export async function askCaller(signal: AbortSignal): Promise<Configuration> {
  const asked = () => askJson<Configuration>("api/abp/application-configuration", { signal });
  let caller = await asked();
  if (!caller.currentUser.isAuthenticated && (await renewed())) caller = await asked();
  if (caller.currentUser.isAuthenticated) return caller;
  endSession(null);
  throw new Refusal(401, "", null, null);
}
