import { constants } from "node:os";
import { expect, test } from "vitest";
import { errnoText, toShellText } from "../../../src/workspace/shell-error.ts";

test("an error reads as a shell would print it", () => {
  expect(toShellText("/docs/a", "EROFS")).toBe("bash: /docs/a: Read-only file system");
  expect(toShellText("x", "ENOENT", "cat")).toBe("cat: x: No such file or directory");
});

test("every code that a file call of the kernel can give has a text", () => {
  const codes = [
    "EPERM",
    "ENOENT",
    "EIO",
    "ENXIO",
    "EACCES",
    "EBUSY",
    "EEXIST",
    "EXDEV",
    "ENOTDIR",
    "EISDIR",
    "EINVAL",
    "ENFILE",
    "EMFILE",
    "EFBIG",
    "ENOSPC",
    "EROFS",
    "EMLINK",
    "ENAMETOOLONG",
    "ENOTEMPTY",
    "ELOOP",
    "EDQUOT",
    "EOPNOTSUPP",
    "ETXTBSY",
    "EILSEQ",
    "ESTALE",
    "EOVERFLOW",
  ];
  for (const code of codes) {
    expect(constants.errno, code).toHaveProperty(code);
    expect(errnoText(code)).not.toContain(code);
  }
});

test("an unknown code is named, and no name is found on a prototype", () => {
  expect(errnoText("EWHAT")).toBe("Unknown error EWHAT");
  expect(errnoText("constructor")).toBe("Unknown error constructor");
});
