// What viewer.ts uses of Swagger UI, which has no types of its own; its data are Immutable.js'.
declare module "swagger-ui-dist/swagger-ui-bundle.js" {
  /** A request that is about to be sent. */
  export interface Asked {
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
  export default function SwaggerUI(options: object): unknown;
}
