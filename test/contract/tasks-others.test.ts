/** The scripts that `tasks.test.ts` leaves out. Run by `npm run test:slow`. */
import { tasks } from "../fixtures/corpus/corpus.ts";
import { everySecondOf } from "../fixtures/corpus/halves.ts";
import { expectTasks } from "./expect-tasks.ts";

expectTasks(everySecondOf(tasks, 1));
