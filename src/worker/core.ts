/** What `core.cjs` gives to the files that load it. */
export { connect } from "./connect.ts";
export { loadEngine } from "./load-engine.ts";
export { rehearse } from "./rehearse.ts";
