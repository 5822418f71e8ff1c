// Sign-in by OpenID Connect: an authorization code with PKCE, silent renewal, sign-out. Loaded where the portal has a provider.
import { UserManager, WebStorageStateStore, type User } from "oidc-client-ts";
import type { SignIn } from "./session";
import { ofBrowser, ofTab } from "./storage";

export interface ProviderListener {
  began: (token: string) => void;
  ended: () => void;
  failed: (why: string) => void;
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
      userStore: new WebStorageStateStore({ store: ofTab }),
      stateStore: new WebStorageStateStore({ store: ofBrowser }),
    });
    this.manager.events.addUserLoaded((user) => this.take(user));
    this.manager.events.addAccessTokenExpired(listener.ended);
  }

  /** False in the hidden frame of a renewal, whose answer goes to the page around it. */
  async resume(): Promise<boolean> {
    if (window.parent !== window) {
      await this.manager.signinSilentCallback();
      return false;
    }
    const answer = new URLSearchParams(location.search);
    const address = location.href;
    // What the provider sent goes from the address, and from the history.
    if (answer.has("state")) history.replaceState(null, "", location.pathname + location.hash);
    if (answer.has("code") || answer.has("error")) await this.finish(address);
    else this.take(await this.manager.getUser());
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

  private async finish(address: string): Promise<void> {
    try {
      const user = await this.manager.signinCallback(address);
      if (typeof user?.state === "string") location.replace(user.state || "#");
    } catch (error) {
      this.listener.failed((error as Error).message);
    }
  }

  private take(user: User | null): void {
    if (user && !user.expired) this.listener.began(user.access_token);
  }
}
