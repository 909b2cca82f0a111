declare const __BUILD_ID__: string | undefined;

/** Names the build of this module; a worker of another build is refused. Sources that run unbuilt read it from the worker's folder. */
export const buildId: string = typeof __BUILD_ID__ === "string" ? __BUILD_ID__ : "";
