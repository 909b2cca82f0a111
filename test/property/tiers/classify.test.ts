/** However a call of a higher tier's command is written it is found, and whatever only has the name is not. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { TIER_ONE_COMMANDS } from "../../../src/tiers/rules.ts";
import { buildClassifier } from "../../helpers/built-classifier.ts";

const { classify } = await buildClassifier();

const name = fc.constantFrom(...Object.keys(TIER_ONE_COMMANDS));
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const octal = (character: string) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;

/** Here-documents in each other need ends of their own. */
let count = 0;

/** Ways to write the name of a command. */
const spelled = fc.constantFrom<(name: string) => string>(
  (name) => name,
  quoted,
  (name) => `"${name}"`,
  (name) => `\\${name}`,
  (name) => [...name].map((character) => `"${character}"`).join(""),
  (name) => `${name.slice(0, 1)}''${name.slice(1)}`,
  (name) => `$'${[...name].map(octal).join("")}'`,
  (name) => `/usr/bin/${name}`,
  (name) => `$(echo ${name})`,
  (name) => `$(printf %s ${quoted(name)})`,
  (name) => `\${UNSET_HERE:-${name}}`,
);

/** Ways in which a command is part of a script. Each in lines of its own: what is inside may end with one. */
const around = fc.constantFrom<(command: string) => string>(
  (command) => `echo before\n${command}\necho after`,
  (command) => `true && {\n${command}\n} || false`,
  (command) => `(\n${command}\n)`,
  (command) => `{\n${command}\n}`,
  (command) => `if true; then\n${command}\nfi`,
  (command) => `if\n${command}\nthen :; fi`,
  (command) => `for i in 1 2; do\n${command}\ndone`,
  (command) => `while false; do :; done; until\n${command}\ndo break; done`,
  (command) => `case x in\nx)\n${command}\n;;\nesac`,
  (command) => `f() {\n${command}\n}\nf`,
  (command) => `x=$(\n${command}\n)`,
  (command) => `echo "$(\n${command}\n)"`,
  (command) => `cat <(\n${command}\n)`,
  (command) => `cat <<EOF_${count++}\n$(\n${command}\n)\nEOF_${count - 1}`,
  // The shell counts parentheses to the end of arithmetic: one that nothing has opened ends it, and the script is refused.
  (command) => `echo $((1 + $(\n${command.replaceAll("\nx)\n", "\n(x)\n")}\n)))`,
  (command) => `bash -c ${quoted(command)}`,
  (command) => `eval ${quoted(command)}`,
  (command) => `trap ${quoted(command)} EXIT`,
  (command) => `bash <<'END_OF_${count++}'\n${command}\nEND_OF_${count - 1}`,
  (command) => `printf '%s' ${quoted(command)} | sh`,
  (command) => `c=${quoted(command)}\neval "$c"`,
  (command) => `env A=1 timeout 5 sh -c ${quoted(command)}`,
  (command) => `find . -exec sh -c ${quoted(command)} \\;`,
  (command) => `{\n${command}\n} &`,
  (command) => `! {\n${command}\n} | cat`,
);

/** Ways to say the name of a command that call nothing. */
const mentioned = fc.constantFrom<(name: string) => string>(
  (name) => `echo ${name}`,
  (name) => `printf '%s\\n' "${name} install"`,
  (name) => `: ${name}`,
  (name) => `command -v ${name}`,
  (name) => `which ${name}`,
  (name) => `type ${name}`,
  (name) => `cat ${name}.txt ./${name} | grep ${quoted(`${name} `)}`,
  (name) => `[ -x /usr/bin/${name} ]`,
  (name) => `x=${name}; echo "$x"`,
  (name) => `for w in ${name} b; do echo "$w"; done`,
  (name) => `case ${name} in *) ;; esac`,
  (name) => `echo a # ${name}`,
  (name) => `cat <<'TEXT'\n${name} $(${name}) \`${name}\`\nTEXT\n`,
  (name) => `echo '$(${name})' "\\$(${name})"`,
  (name) => `unused() { ${name} x; }`,
  (name) => `alias unused=${quoted(`${name} x`)}`,
  (name) => `echo ${quoted(`${name} x`)} > ${name}`,
  (name) => `sh -c ${quoted(`echo ${name}`)}`,
);

function nested(ways: readonly ((command: string) => string)[], command: string): string {
  return ways.reduce((script, way) => way(script), command);
}

test("a command of tier 1 is found however it is written and wherever it stands", () => {
  fc.assert(
    fc.property(name, spelled, fc.array(around, { maxLength: 3 }), (name, spell, ways) => {
      const script = nested(ways, `${spell(name)} --version`);
      expect({ script, commands: classify(script).commands }).toEqual({ script, commands: [name] });
    }),
    { numRuns: 400 },
  );
});

test("a script that only has the name stays in tier 0", () => {
  fc.assert(
    fc.property(name, mentioned, fc.array(around, { maxLength: 2 }), (name, mention, ways) => {
      const script = nested(ways, mention(name));
      expect({ script, commands: classify(script).commands }).toEqual({ script, commands: [] });
    }),
    { numRuns: 400 },
  );
});

test("a function of the name is called in its place", () => {
  fc.assert(
    fc.property(
      name,
      fc.constantFrom("( X )", "{ X; }", "if X; then :; fi", 'echo "$(X)"', "eval X"),
      (name, form) => {
        const call = `${name}() { echo own; }\n${form.replace("X", `${name} --version`)}`;
        expect(classify(call)).toEqual({ tier: 0, commands: [], reasons: [] });
        expect(classify(call.replace(/^.*\n/, "")).tier).toBe(1);
      },
    ),
  );
});

const token = fc.constantFrom(
  ..."git;|&&|(|)|{|}|$(|`|\"|'|\\|<<EOF|\nEOF\n|if|then|fi|for|in|do|done|case|esac|$((|))|[[|]]|${x|:-|}|#|=|a=(|$x|$@|>|<|<(|eval|bash -c|env|xargs|\n| |\0|\ud800|é|\uE000|\uE001".split(
    "|",
  ),
  "|",
);

test("whatever the text, an answer comes whose places are in it", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(token).map((all) => all.join("")),
      ),
      (script) => {
        const { tier, commands, reasons } = classify(script);
        expect(tier).toBe(commands.length > 0 ? 1 : 0);
        expect([...new Set(reasons.map(({ command }) => command))]).toEqual(commands);
        for (const { line, column, offset } of reasons) {
          const before = script.slice(0, offset).split("\n");
          expect(offset).toBeLessThan(script.length);
          expect({ line, column }).toEqual({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
        }
      },
    ),
    { numRuns: 1_000 },
  );
});
