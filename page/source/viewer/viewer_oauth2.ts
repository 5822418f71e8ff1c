// OAuth 2 in the viewer: an authorization code with PKCE, state and nonce. Loaded if the portal has a provider. Swagger UI has the dialog;
// oidc-client-ts performs the protocol, in this tab instead of a window that would need its opener.
import { UserManager, WebStorageStateStore, type User } from "oidc-client-ts";
import type { Plugin, SwaggerSystem } from "swagger-ui-dist/swagger-ui-bundle.js";
import type { SignIn } from "../settings";
import { tabStorage } from "../storage";

const scheme = "oauth2"; // its name in the document

/** What the viewer restores after the sign-in. */
export interface Origin {
  hash: string;
}

/** The page that completes the sign-in uses the same manager. */
export function createManager({ authority, client, scope, parameters }: SignIn): UserManager {
  const store = new WebStorageStateStore({ store: tabStorage, prefix: "viewer." }); // the portal's page has its own session
  return new UserManager({
    authority,
    client_id: client,
    redirect_uri: new URL("oauth2-redirect.html", document.baseURI).href,
    scope,
    extraQueryParams: parameters,
    automaticSilentRenew: false,
    userStore: store,
    stateStore: store,
  });
}

/** The scheme `oauth2` for Swagger UI. */
export class OAuth2 {
  private constructor(
    private readonly manager: UserManager,
    private readonly signIn: SignIn,
    private readonly flow: { authorizationUrl: string; tokenUrl: string | undefined; scopes: Record<string, string> },
  ) {}

  /** Reads the provider's discovery document. */
  static async create(signIn: SignIn): Promise<OAuth2> {
    const manager = createManager(signIn);
    const { authorization_endpoint: authorizationUrl, token_endpoint: tokenUrl } = await manager.metadataService.getMetadata();
    const scopes = Object.fromEntries(signIn.scope.split(" ").map((name) => [name, ""]));
    return new OAuth2(manager, signIn, { authorizationUrl: authorizationUrl!, tokenUrl, scopes });
  }

  /** Adds the scheme to a document, as an alternative to each `bearer`. */
  addTo(api: Document): Document {
    const components = { ...api.components, securitySchemes: { ...api.components?.securitySchemes, [scheme]: this.definition } };
    const paths = mapped(api.paths ?? {}, (item) => mapped(item, withAlternative));
    return { ...withAlternative(api), components, paths };
  }

  /** Replaces Swagger UI's window and its exchange of the code. */
  get plugin(): Plugin {
    const authPopup = () => (_url: string, request: AuthorizationRequest) => void this.authorize(request);
    const logout = (original: (names: string[]) => unknown) => (names: string[]) => {
      if (names.includes(scheme)) void this.manager.removeUser();
      return original(names);
    };
    return { statePlugins: { auth: { wrapActions: { authPopup, logout } } } };
  }

  /** Passes this tab's token to Swagger UI, until it expires. */
  async restore(ui: SwaggerSystem): Promise<void> {
    const { client: clientId, scope: scopes } = this.signIn;
    ui.initOAuth({ appName: clientId, clientId, scopes, usePkceWithAuthorizationCodeGrant: true });
    this.manager.events.addAccessTokenExpired(() => ui.authActions.logout([scheme]));
    const user = await this.manager.getUser();
    if (!user || user.expired) return;
    ui.authActions.authorizeOauth2({ auth: this.authorizationOf(user), token: { access_token: user.access_token } });
  }

  private get definition() {
    return { type: "oauth2", flows: { authorizationCode: this.flow } };
  }

  private authorizationOf({ scope }: User) {
    const schema = { type: "oauth2", flow: "authorizationCode", ...this.flow };
    return { name: scheme, schema, clientId: this.signIn.client, scopes: scope?.split(" ") ?? [] };
  }

  private async authorize({ auth, errCb }: AuthorizationRequest): Promise<void> {
    const state: Origin = { hash: location.hash };
    await this.manager
      .signinRedirect({ scope: auth.scopes.join(" "), nonce: crypto.randomUUID(), state })
      .catch((error: Error) => errCb({ authId: scheme, source: "auth", level: "error", message: error.message }));
  }
}

interface Secured {
  security?: object[];
}

/** The members of an OpenAPI document that change. */
export interface Document extends Secured {
  components?: { securitySchemes?: object };
  paths?: Record<string, Record<string, Secured>>;
}

function withAlternative<T extends Secured>(secured: T): T {
  const { security } = secured;
  return security?.some((each) => "bearer" in each) ? { ...secured, security: [...security, { [scheme]: [] }] } : secured;
}

function mapped<T>(members: Record<string, T>, change: (member: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
}

interface AuthorizationRequest {
  auth: { scopes: string[] };
  errCb: (error: { authId: string; source: string; level: string; message: string }) => void;
}
