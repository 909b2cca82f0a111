/** How a worker ends on systems that these tests do not run on. On Linux: test/process/kills.test.ts. */
import { expect, test } from "vitest";
import { type KillPorts, killGroup, killTree } from "../../../src/parent/kill-tree.ts";

/** Ports of a made-up system, and all that was asked of it in order. */
function system(given: Partial<KillPorts>): { ports: KillPorts; asked: string[]; finish(): void } {
  const asked: string[] = [];
  let finish = (): void => undefined;
  const ports: KillPorts = {
    platform: "linux",
    systemRoot: undefined,
    signal: (pid, signal) => void asked.push(`${signal} ${pid}`),
    run(command, args, done) {
      asked.push([command, ...args].join(" "));
      finish = done;
    },
    ...given,
  };
  return { ports, asked, finish: () => finish() };
}

test.each(["linux", "darwin", "freebsd"])("on %s one signal goes to the whole group", (platform) => {
  const { ports, asked } = system({ platform });
  killTree(7, () => asked.push("alone"), ports);
  expect(asked).toEqual(["SIGKILL -7"]);
});

test("a worker that has no group yet is ended alone", () => {
  const { ports, asked } = system({
    signal: () => {
      throw new Error("ESRCH");
    },
  });
  killTree(7, () => asked.push("alone"), ports);
  expect(asked).toEqual(["alone"]);
  expect(killGroup(7, ports)).toBe(false);
});

test("on Windows its own program ends the tree while the worker is there, and then the worker for certain", () => {
  const { ports, asked, finish } = system({ platform: "win32", systemRoot: "D:\\Windows" });
  killTree(7, () => asked.push("alone"), ports);
  expect(asked).toEqual(["D:\\Windows\\System32\\taskkill.exe /PID 7 /T /F"]);
  finish();
  expect(asked.at(-1)).toBe("alone");
});

test("on Windows no signal goes to a group, where a number below zero means nothing", () => {
  const { ports, asked } = system({ platform: "win32" });
  expect(killGroup(7, ports)).toBe(false);
  killTree(7, () => undefined, ports);
  expect(asked).toEqual(["C:\\Windows\\System32\\taskkill.exe /PID 7 /T /F"]);
});

test("nothing is killed for a process that never had a number", () => {
  const { ports, asked } = system({});
  expect(killGroup(undefined, ports)).toBe(false);
  expect(asked).toEqual([]);
});
