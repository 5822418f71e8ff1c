// Files that build.mjs includes as texts.
declare module "*.jsonl" {
  const text: string;
  export default text;
}
