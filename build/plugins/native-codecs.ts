/**
 * tar's zstd and xz come from native addons that just-bash loads if somebody installed them. The worker takes
 * no code from outside its folder, so for it they are never installed: tar says so, wherever the folder lies.
 */
import type { Plugin } from "esbuild";

export const noNativeCodecs: Plugin = {
  name: "no-native-codecs",
  setup(build) {
    build.onResolve({ filter: /^(?:@mongodb-js\/zstd|node-liblzma)$/ }, ({ path }) => ({
      path,
      namespace: "absent",
    }));
    build.onLoad({ filter: /.*/, namespace: "absent" }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not part of this worker`)});`,
    }));
  },
};
