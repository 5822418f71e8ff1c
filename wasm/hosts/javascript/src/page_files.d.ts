// What page/build.mjs makes of the portal's page.
export interface PageFile {
  path: string;
  mediaType: string;
  tag: string;
  text: string;
  /** The same, compressed (RFC 7932), in base64. */
  brotli: string;
}
export declare const files: readonly PageFile[];
