import { program } from "./program.mjs";

// The copy of the package's folder dist/worker. Not set: it is looked up.
const workerPath = process.env.WORKER_PATH;
program(workerPath === undefined ? {} : { workerPath }).then(console.log, (error) => {
  console.error(error);
  process.exitCode = 1;
});
