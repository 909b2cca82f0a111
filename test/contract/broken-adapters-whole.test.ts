/** The suite fails where it should and nowhere else: every case over every adapter that lies. */
import { expectToBeFound } from "./broken-adapters.ts";

await expectToBeFound(() => true);
