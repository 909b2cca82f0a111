import { expectTypeOf, test } from "vitest";
import {
  type Claim,
  createDurableOrchestrationServices,
  createInMemoryOrchestrationServices,
  type DurableJsonStore,
  fileJsonStore,
  type HarnessOrchestrationServices,
  memoryJsonStore,
  postgresJsonStore,
  type Task,
} from "../../src/host.ts";
import { localHost } from "../../src/index.ts";

test("both kinds of services are the ones that a host takes", () => {
  expectTypeOf(createInMemoryOrchestrationServices).returns.toEqualTypeOf<HarnessOrchestrationServices>();
  expectTypeOf(createDurableOrchestrationServices).returns.toEqualTypeOf<HarnessOrchestrationServices>();
  expectTypeOf(localHost).parameter(0).exclude<undefined>().toHaveProperty("orchestration");
});

test("a store has five methods and no more", () => {
  type Method = "readJson" | "writeJson" | "remove" | "listDir" | "withLock";
  expectTypeOf<keyof DurableJsonStore>().toEqualTypeOf<Method>();
  expectTypeOf(memoryJsonStore).returns.toEqualTypeOf<DurableJsonStore>();
  expectTypeOf(fileJsonStore).returns.toEqualTypeOf<DurableJsonStore>();
  expectTypeOf(postgresJsonStore).returns.toExtend<DurableJsonStore>();
});

test("what is claimed has its claim", () => {
  type Got = Awaited<ReturnType<HarnessOrchestrationServices["tasks"]["claim"]>>;
  expectTypeOf<NonNullable<Got>["claim"]>().toExtend<Claim>();
  expectTypeOf<Got>().toExtend<Task | undefined>();
});
