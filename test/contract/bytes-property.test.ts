/** Any bytes pass through a shell as they are: pipes, groups, variables, here-strings, `read`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { someBytes } from "../helpers/some-bytes.ts";

const WAYS = `
f() { cat; }
cat in > pipe; cat < in | cat | f > pipe2; { cat in; } > group; cat <(cat in) > process
x=$(cat in; printf .); x=\${x%.}
printf %s "$x" > variable; cat <<< "$x" > here
declare -p x > declared; unset x; . ./declared; printf %s "$x" > sourced
while IFS= read -r line || [ -n "$line" ]; do printf '%s\\n' "$line"; done < in > lines
mapfile m < in; printf %s "\${m[@]}" > mapped
`;

test("a shell hands bytes on as they are, through pipes, variables and reads", {
  timeout: 60_000,
}, async () => {
  const { sandbox, directory } = await openForTest({ sandbox: "just-bash" });
  await fc.assert(
    fc.asyncProperty(someBytes, async (drawn) => {
      // No variable holds a NUL, in bash as here.
      const content = drawn.filter((byte) => byte !== 0);
      writeFileSync(join(directory, "in"), content);
      const result = await sandbox.exec(`cd /w\n${WAYS}\ncat in`);
      const read = (name: string) => readFileSync(join(directory, name)).toString("hex");
      const hex = Buffer.from(content).toString("hex");
      expect(Buffer.from(result.stdoutBytes).toString("hex")).toBe(hex);
      for (const name of ["pipe", "pipe2", "group", "process", "variable", "sourced", "mapped"])
        expect([name, read(name)]).toEqual([name, hex]);
      expect(read("here")).toBe(`${hex}0a`);
      const endsLine = content.length === 0 || content.at(-1) === 0x0a;
      expect(read("lines")).toBe(endsLine ? hex : `${hex}0a`);
    }),
    { numRuns: 15 },
  );
});
