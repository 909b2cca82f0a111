/** The scripts that `tasks.test.ts` leaves out. Run by `npm run test:slow`. */
import { tasks } from "../fixtures/corpus/corpus.ts";
import { othersOf } from "../fixtures/corpus/quarters.ts";
import { expectTasks } from "./expect-tasks.ts";

expectTasks(othersOf(tasks));
