// The redirect address of the viewer's sign-in: exchanges the code for a token, and returns to the viewer.
import { readSignIn } from "./portal_sign_in";
import { createManager, type Origin } from "./viewer_oauth2";

async function complete(): Promise<void> {
  const address = location.href;
  // Removes the provider's parameters from the address and the history.
  history.replaceState(null, "", location.pathname);
  const signIn = await readSignIn();
  if (!signIn) throw new Error("The portal has no identity provider.");
  const user = await createManager(signIn).signinCallback(address);
  location.replace(`index.html${(user?.state as Origin | undefined)?.hash ?? ""}`);
}

complete().catch((error: Error) => {
  document.querySelector("[role=alert]")!.textContent = `The sign-in has failed: ${error.message}`;
});
