/** swc's JavaScript side, wrapped by the `strip-types` plugin. */
declare module "swc:glue" {
  export interface Stripper {
    transformSync(code: string, options: { mode: "strip-only" }): { code: string };
  }
  /** Compiles `bytes` and connects it. */
  export function instantiate(
    bytes: Uint8Array,
    webAssembly: object,
    util: typeof import("node:util"),
  ): Stripper;
}
