/** Every second of the scripts; `npm run test:slow` runs the others. */
import { tasks } from "../fixtures/corpus/corpus.ts";
import { everySecondOf } from "../fixtures/corpus/halves.ts";
import { expectTasks } from "./expect-tasks.ts";

expectTasks(everySecondOf(tasks, 0));
