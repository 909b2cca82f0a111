/**
 * Functions copied before the engine's defenses replace or block them. What runs while a script runs uses
 * these and not the globals.
 */
import { writeSync, writevSync } from "node:fs";

export const original = {
  writeSync,
  writevSync,
  kill: process.kill.bind(process),
  exit: process.exit.bind(process) as (code: number) => never,
  pid: process.pid,
  wait: Atomics.wait.bind(Atomics),
  add: Atomics.add.bind(Atomics) as (cells: Int32Array, index: number, value: number) => number,
  load: Atomics.load.bind(Atomics) as (cells: Int32Array, index: number) => number,
  store: Atomics.store.bind(Atomics) as (cells: Int32Array, index: number, value: number) => number,
  notify: Atomics.notify.bind(Atomics),
  sleepCell: new Int32Array(new SharedArrayBuffer(4)),
};
