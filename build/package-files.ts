/** What the published package may hold: every file matches one of these, and no text holds one of those. */

/** Paths in the package. */
const ALLOWED_FILES: readonly RegExp[] = [
  /^package\.json$/,
  /^(?:README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$/,
  /^examples\/[a-z-]+\.mjs$/,
  /^LICENSE$/,
  /^docs\/[a-z-]+\.md$/,
  /^dist\/THIRD_PARTY_LICENSES\.md$/,
  /^dist\/(?:index|sandbox|host|remote-session|conformance|cli|chunk-[A-Z0-9]{8})\.js$/,
  /^dist\/types\/(?:[a-z-]+\/){0,2}[a-z-]+\.d\.ts$/,
  /^dist\/worker\/(?:main|engine|lifeline|lockdown|make-code-cache)\.js$/,
  /^dist\/worker\/classify\.cjs$/,
  /^dist\/worker\/(?:package|build-id)\.json$/,
  /^dist\/worker\/engine\/bundle\/chunks\/[\w-]+\.c?js$/,
  /^dist\/worker\/engine\/bundle\/chunks\/(?:emscripten-module|sql-wasm|typescript)\.wasm$/,
  /^dist\/worker\/vendor\/cpython-emscripten\/(?:python\.cjs|python\.wasm|python313\.zip)$/,
];

/** Text that only the place where the package was built can have brought in. */
export function mustNotAppear(root: string): string[] {
  return [root, "sourceMappingURL=", "sourcesContent", 'resolved": "http'];
}

/** The files that have no business in the package. */
export function unexpectedFiles(files: readonly string[]): string[] {
  return files.filter((file) => !ALLOWED_FILES.some((allowed) => allowed.test(file)));
}
