// Sign-in by OpenID Connect: an authorization code with PKCE, silent renewal, sign-out. Loaded if the portal has a provider.
import { UserManager, WebStorageStateStore, type User } from "oidc-client-ts";
import type { SignIn } from "./settings";
import { browserStorage, tabStorage } from "./storage";

export interface ProviderListener {
  onSignedIn: (token: string) => void;
  onExpired: () => void;
  onFailed: (message: string) => void;
}

export class Provider {
  private readonly manager: UserManager;

  constructor(
    { authority, client, scope, parameters }: SignIn,
    private readonly listener: ProviderListener,
  ) {
    const page = location.origin + location.pathname;
    this.manager = new UserManager({
      authority,
      client_id: client,
      redirect_uri: page,
      silent_redirect_uri: page,
      post_logout_redirect_uri: page,
      scope,
      extraQueryParams: parameters,
      userStore: new WebStorageStateStore({ store: tabStorage }),
      stateStore: new WebStorageStateStore({ store: browserStorage }),
    });
    this.manager.events.addUserLoaded((user) => this.setUser(user));
    this.manager.events.addAccessTokenExpired(listener.onExpired);
  }

  /** Completes a pending sign-in. Returns false in the hidden frame of a renewal, which passes the result to its parent page. */
  async resume(): Promise<boolean> {
    if (window.parent !== window) {
      await this.manager.signinSilentCallback();
      return false;
    }
    const query = new URLSearchParams(location.search);
    const address = location.href;
    // Removes the provider's parameters from the address and the history.
    if (query.has("state")) history.replaceState(null, "", location.pathname + location.hash);
    if (query.has("code") || query.has("error")) await this.completeSignIn(address);
    else this.setUser(await this.manager.getUser());
    return true;
  }

  async signIn(): Promise<void> {
    await this.manager.signinRedirect({ state: location.hash });
  }

  async signOut(): Promise<void> {
    await this.manager.signoutRedirect();
  }

  async renew(): Promise<boolean> {
    const user = await this.manager.signinSilent().catch(() => null);
    if (!user) await this.manager.removeUser();
    return user !== null;
  }

  private async completeSignIn(address: string): Promise<void> {
    try {
      const user = await this.manager.signinCallback(address);
      if (typeof user?.state === "string") location.replace(user.state || "#");
    } catch (error) {
      this.listener.onFailed((error as Error).message);
    }
  }

  private setUser(user: User | null): void {
    if (user && !user.expired) this.listener.onSignedIn(user.access_token);
  }
}
