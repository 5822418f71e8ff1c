// Types for the part of Swagger UI that viewer.ts uses. Its data are Immutable.js collections.
declare module "swagger-ui-dist/swagger-ui-bundle.js" {
  /** A request before it is sent. */
  export interface SwaggerRequest {
    headers: Record<string, string>;
  }
  export interface Operation {
    get(name: string): unknown;
    getIn(path: string[]): unknown;
  }
  export interface Operations {
    readonly size: number;
    filter(keep: (each: Operation) => boolean): Operations;
  }
  export interface Tag {
    get(name: "operations"): Operations;
    update(name: "operations", change: (operations: Operations) => Operations): Tag;
  }
  export interface TaggedOperations {
    map(change: (tag: Tag) => Tag): TaggedOperations;
    filter(keep: (tag: Tag) => boolean): TaggedOperations;
  }
  export interface Plugin {
    fn?: object;
    statePlugins?: Record<string, { wrapActions: object }>;
  }
  export interface SwaggerSystem {
    initOAuth(options: { appName: string; clientId: string; scopes: string; usePkceWithAuthorizationCodeGrant: boolean }): void;
    readonly authActions: {
      authorizeOauth2(authorization: { auth: object; token: { access_token: string } }): void;
      logout(names: string[]): void;
    };
  }
  export default function SwaggerUI(options: object): SwaggerSystem;
}
