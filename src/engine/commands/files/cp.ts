import { type Command, decodeBytesToUtf8, defineCommand } from "just-bash";
import { parseGnuOptions } from "../gnu-options.ts";
import { Copier, type CopyRequest } from "./copier.ts";
import { backupOf, DESTINATION_OPTIONS, onExisting, pairsOf } from "./destinations.ts";
import { Answers } from "./look.ts";
import { quoteValue } from "./quote-name.ts";
import { Report } from "./report.ts";

const PROGRAM = {
  name: "cp",
  help: `Usage: cp [OPTION]... [-T] SOURCE DEST
  or:  cp [OPTION]... SOURCE... DIRECTORY
  or:  cp [OPTION]... -t DIRECTORY SOURCE...
Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.

  -a, --archive                same as -dR --preserve=all
      --attributes-only        don't copy the file data, just the attributes
      --backup[=CONTROL]       make a backup of each existing destination file
  -b                           like --backup but does not accept an argument
  -d                           same as --no-dereference --preserve=links
  -f, --force                  remove a destination file that cannot be opened
  -i, --interactive            prompt before overwrite
  -H                           follow command-line symbolic links in SOURCE
  -l, --link                   hard link files instead of copying
  -L, --dereference            always follow symbolic links in SOURCE
  -n, --no-clobber             do not overwrite an existing file
  -P, --no-dereference         never follow symbolic links in SOURCE
  -p                           same as --preserve=mode,ownership,timestamps
      --preserve[=ATTR_LIST]   preserve the specified attributes
      --no-preserve=ATTR_LIST  don't preserve the specified attributes
      --parents                use full source file name under DIRECTORY
  -R, -r, --recursive          copy directories recursively
      --remove-destination     remove each existing destination file first
  -s, --symbolic-link          make symbolic links instead of copying
  -S, --suffix=SUFFIX          override the usual backup suffix
  -t, --target-directory=DIRECTORY  copy all SOURCE arguments into DIRECTORY
  -T, --no-target-directory    treat DEST as a normal file
  -u, --update                 copy only when the SOURCE file is newer
  -v, --verbose                explain what is being done
  -x, --one-file-system        stay on this file system
`,
  compatibleWith: "GNU coreutils 9.1",
  options: {
    ...DESTINATION_OPTIONS,
    archive: { short: "a", long: "archive" },
    attributesOnly: { long: "attributes-only" },
    links: { short: "d" },
    followOperands: { short: "H" },
    hardLink: { short: "l", long: "link" },
    follow: { short: "L", long: "dereference" },
    noFollow: { short: "P", long: "no-dereference" },
    preserveUsual: { short: "p" },
    preserve: { long: "preserve", value: "optional" },
    noPreserve: { long: "no-preserve", value: "required" },
    parents: { long: "parents" },
    recursive: { short: "R", long: "recursive" },
    recursiveToo: { short: "r" },
    reflink: { long: "reflink", value: "optional" },
    removeFirst: { long: "remove-destination" },
    sparse: { long: "sparse", value: "required" },
    symbolicLink: { short: "s", long: "symbolic-link" },
    oneFileSystem: { short: "x", long: "one-file-system" },
    copyContents: { long: "copy-contents" },
  },
} as const;

/** `cp` as coreutils has it. The engine's own lacks most options and keeps neither times nor links. */
export const cp: Command = defineCommand("cp", async (args, ctx) => {
  const parsed = parseGnuOptions(PROGRAM, args);
  if (!parsed.ok) return parsed.result;
  const { given, has, value } = parsed.args;
  const backup = backupOf(parsed.args, ctx.env);
  if (typeof backup === "string") {
    return {
      stdout: "",
      stderr: `cp: invalid argument ${quoteValue(backup)} for ${quoteValue("backup type")}\n`,
      exitCode: 1,
    };
  }
  const pairs = await pairsOf("cp", parsed.args, ctx, has("parents"));
  if (!("length" in pairs)) return pairs;

  const kept = new Set<string>();
  let follows: CopyRequest["follows"] | undefined;
  for (const { key, value: list } of given) {
    if (key === "archive") for (const one of ["mode", "timestamps", "links"]) kept.add(one);
    if (key === "preserveUsual") for (const one of ["mode", "timestamps"]) kept.add(one);
    if (key === "links") kept.add("links");
    if (key === "preserve") {
      for (const one of (list ?? "mode,timestamps").split(",")) {
        for (const part of one === "all" ? ["mode", "timestamps", "links"] : [one]) kept.add(part);
      }
    }
    if (key === "noPreserve") {
      for (const one of list === "all" ? [...kept] : (list ?? "").split(",")) kept.delete(one);
    }
    if (key === "follow") follows = "always";
    if (key === "noFollow" || key === "archive" || key === "links") follows = "never";
    if (key === "followOperands") follows = "operands";
  }
  const recursive = has("recursive") || has("recursiveToo") || has("archive");
  const report = new Report("cp");
  const copier = new Copier(ctx, report, {
    recursive,
    follows: follows ?? (recursive ? "never" : "always"),
    keepMode: kept.has("mode"),
    keepTimes: kept.has("timestamps"),
    keepLinks: kept.has("links"),
    makes: has("hardLink")
      ? "hard link"
      : has("symbolicLink")
        ? "symbolic link"
        : has("attributesOnly")
          ? "attributes"
          : "copy",
    onExisting: onExisting(parsed.args),
    update: has("update"),
    verbose: has("verbose"),
    force: has("force"),
    removeFirst: has("removeFirst"),
    parents: has("parents"),
    backup,
    answers: new Answers(decodeBytesToUtf8(ctx.stdin)),
  });
  const root = value("targetDirectory") ?? parsed.args.operands.at(-1) ?? "";
  for (const { source, destination } of pairs) await copier.copyOperand(source, destination, root);
  return report.result();
});
