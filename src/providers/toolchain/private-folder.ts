/** What a toolchain keeps on the host: the files of its commands, and those of `/etc` that are its own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryDirectory } from "../../workspace/temporary-directory.ts";
import { SAVE, SUPERVISOR } from "./shell-texts.ts";

/** The user in the jail, whoever runs it: owner of what the user of this process owns. */
export const USER = { id: 1000, name: "user", home: "/home/user" };

const ETC: Readonly<Record<string, string>> = {
  passwd: `root:x:0:0:root:/root:/bin/bash\n${USER.name}:x:${USER.id}:${USER.id}:${USER.name}:${USER.home}:/bin/bash\n`,
  group: `root:x:0:\n${USER.name}:x:${USER.id}:\n`,
  hosts: "127.0.0.1\tlocalhost sandbox\n::1\tlocalhost sandbox\n",
  "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
};

export interface PrivateFolder {
  /** Shown read-only as `CONTROL`. */
  readonly control: string;
  /** What holds POSIX shared memory, so that it is files and not memory that nobody counts. */
  readonly sharedMemory: string;
  /** A file that no jail shows. */
  readonly outside: string;
  /** Arguments of bubblewrap for the files in `/etc`. */
  readonly etc: readonly string[];
  remove(): void;
}

export function makePrivateFolder(): PrivateFolder {
  const { path: root, remove } = makeTemporaryDirectory();
  const [control, etc, sharedMemory] = [join(root, "control"), join(root, "etc"), join(root, "shm")];
  for (const folder of [control, etc, sharedMemory, join(control, "void")]) mkdirSync(folder);
  writeFileSync(join(control, "save"), SAVE);
  writeFileSync(join(control, "supervisor"), SUPERVISOR);
  const outside = join(root, "outside");
  writeFileSync(outside, "of the host\n");
  for (const [name, text] of Object.entries(ETC)) writeFileSync(join(etc, name), text);
  return {
    control,
    sharedMemory,
    outside,
    etc: Object.keys(ETC).flatMap((name) => ["--ro-bind", join(etc, name), `/etc/${name}`]),
    remove,
  };
}
