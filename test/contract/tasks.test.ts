/** Every fourth of the scripts; `npm run test:slow` runs the others. */
import { tasks } from "../fixtures/corpus/corpus.ts";
import { everyFourthOf } from "../fixtures/corpus/quarters.ts";
import { expectTasks } from "./expect-tasks.ts";

expectTasks(everyFourthOf(tasks));
