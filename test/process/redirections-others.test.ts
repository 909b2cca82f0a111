/** What `redirections.test.ts` leaves out. Run by `npm run test:slow`. */
import { expectOutputAsBash } from "../helpers/redirections.ts";

expectOutputAsBash((place) => place % 3 !== 0);
