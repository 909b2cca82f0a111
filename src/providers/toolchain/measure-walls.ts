/**
 * Runs into the walls of a toolchain, with something real behind each: a file that can be read, a port where somebody
 * listens. It is done in a jail of its own, made as the one of the scripts is but for the mounts, so that no guest has a say in it.
 */
import { readlinkSync } from "node:fs";
import { countFilters } from "../../parent/isolation/filter-wall.ts";
import { listen } from "../../parent/isolation/probe-listener.ts";
import { runOnce } from "../../parent/isolation/run-once.ts";
import type { Wall } from "../../parent/walls.ts";
import { quote } from "../../shared/quote.ts";
import type { IsolationReport } from "../../shared/sandbox.ts";
import { bareJail, type JailParts } from "./jail.ts";

/** What bash itself puts into an empty environment. */
const OF_BASH = ["OLDPWD", "PWD", "SHLVL", "_"];

const PROGRAM = `
for name in $(compgen -e); do echo "variable $name"; done
{ read -r line <"$OUTSIDE" && echo "outside $line"; } 2>/dev/null
{ : >/usr/.written && echo written; } 2>/dev/null
(exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null && echo connected
echo "processes $(/usr/bin/readlink /proc/self/ns/pid)"
kill -0 "$PARENT" 2>/dev/null && [[ ! -e /proc/$PARENT ]] && echo signalled
while read -r field value; do
  case $field in CapEff: | Seccomp: | Seccomp_filters:) echo "status $field $value" ;; esac
done </proc/self/status
echo "bash $BASH_VERSION"
`;

export async function measureWalls(parts: JailParts): Promise<IsolationReport> {
  const { network, folder } = parts;
  const listener = await listen();
  const given = { OUTSIDE: folder.outside, PORT: listener.port ?? 1, PARENT: process.pid };
  const set = Object.entries(given).map(([name, value]) => `${name}=${quote(String(value))}`);
  const launch = bareJail(parts, `${set.join(";")}\n${PROGRAM}`);
  const { stdout } = await runOnce(launch.command, launch.args, launch.inputs);
  const hasConnected = listener.hasConnected();
  listener.close();
  const lines = stdout.split("\n");
  const all = (word: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  const version = all("bash")[0];
  // The last line: without it nothing that is absent says anything.
  if (version === undefined) throw new Error("the walls could not be measured: the jail did not answer");

  const strange = all("variable").filter((name) => !OF_BASH.includes(name));
  const namespace = all("processes")[0];
  const isOwnNamespace = namespace !== undefined && namespace !== "" && namespace !== ownNamespace();
  const status = Object.fromEntries(all("status").map((line) => line.split(": ") as [string, string]));
  const isFiltered =
    // A container may have put filters on this process, which the jail has from it.
    Number(status.Seccomp_filters ?? 0) > countFilters(process.pid) ||
    (status.Seccomp_filters === undefined && status.Seccomp === "2");
  const walls: Wall[] = [
    wall("environment of the host", strange.length === 0, "it is empty", `it holds ${strange.join(", ")}`),
    wall(
      "files outside of the mounts",
      all("outside").length === 0,
      "a file of the host is not there",
      "a file of the host was read",
    ),
    wall(
      "the machine's programs",
      !lines.includes("written"),
      "nothing can be made in /usr",
      "a file was made in /usr",
    ),
    network
      ? { name: "network", state: "not-claimed", reason: "the option network is on" }
      : wall(
          "network",
          !lines.includes("connected") && !hasConnected,
          "no connection to a port of the host",
          "a connection arrived",
        ),
    wall(
      "processes of the host",
      isOwnNamespace && !lines.includes("signalled"),
      "process ids are the jail's own",
      "they can be seen",
    ),
    wall(
      "capabilities",
      /^0+$/.test(status.CapEff ?? ""),
      "there are none",
      `they are ${status.CapEff ?? "unknown"}`,
    ),
    wall("system calls", isFiltered, "the kernel says that a filter is on", "the kernel shows no filter"),
    {
      name: "names of the mounts' directories on the host",
      state: "not-claimed",
      reason: "/proc/self/mountinfo tells them",
    },
  ];
  return {
    rung: "namespace",
    layers: [
      { name: "process", on: true, reason: "processes of their own with an empty environment" },
      { name: "hardened", on: false, reason: "Node's permission model has no say over other programs" },
      { name: "namespace", on: true, reason: "a bubblewrap jail without capabilities and the host's files" },
      { name: "seccomp", on: true, reason: "the kernel refuses what programs rarely need" },
    ],
    engine: `bash ${version.slice(0, 100)}`,
    defense: "none",
    walls,
  };
}

function wall(name: string, holds: boolean, because: string, otherwise: string): Wall {
  return { name, state: holds ? "holds" : "open", reason: holds ? because : otherwise };
}

function ownNamespace(): string {
  return readlinkSync("/proc/self/ns/pid");
}
