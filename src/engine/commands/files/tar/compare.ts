/** `tar -d`: what differs between a member and the file of its name. */
import { Buffer } from "node:buffer";
import type { IFileSystem } from "just-bash";
import { lookIfThere } from "../look.ts";
import type { Report } from "../report.ts";
import type { Member } from "./archive.ts";

export async function compareMember(
  fs: IFileSystem,
  directory: string,
  member: Member,
  report: Report,
): Promise<void> {
  const name = member.name.replace(/(?<=.)\/+$/, "");
  const path = fs.resolvePath(directory, name);
  const differs = (what: string): void => {
    report.print(`${name}: ${what}\n`);
    report.exitCode = Math.max(report.exitCode, 1);
  };
  const entry = await lookIfThere(fs, path, false);
  if (entry === null) {
    report.fail(`${name}: Warning: Cannot stat: No such file or directory`, Math.max(report.exitCode, 1));
    return;
  }
  const kind = entry.isDirectory ? "directory" : entry.isSymbolicLink ? "symbolic link" : "file";
  if (kind !== member.kind && member.kind !== "hard link") {
    differs("File type differs");
    return;
  }
  if (kind === "symbolic link") {
    if ((await fs.readlink(path)) !== member.target) differs("Symlink differs");
    return;
  }
  if ((entry.mode & 0o7777) !== member.mode) differs("Mode differs");
  if (member.kind !== "file") return;
  if (Math.floor(entry.mtimeMs / 1000) !== Math.floor(member.mtime)) differs("Mod time differs");
  if (entry.size !== member.content.length) differs("Size differs");
  else if (Buffer.compare(await fs.readFileBuffer(path), member.content) !== 0) differs("Contents differ");
}
