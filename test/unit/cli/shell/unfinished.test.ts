import { expect, test } from "vitest";
import { isUnfinished } from "../../../../src/cli/shell/unfinished.ts";

// Held to `bash -n`, which says of each of the first kind that its end is missing, and of none of the second.
test.each([
  "echo 'a",
  'echo "a',
  "echo $'a\\'",
  "echo \\",
  "cat <<E\nx",
  "cat <<-E\nx",
  'cat << "E F"\nx',
  "cat <<A <<B\n1\nA\n2",
  "for i in 1 2",
  "for ((i=0;i<3",
  "if true; then",
  "if true\nthen echo\nelif x\nthen",
  "while true; do",
  "case x in",
  "case x in a) echo;;",
  "(echo",
  "{ echo",
  "f() {",
  "f()",
  "function f",
  "x=$(echo",
  "echo `x",
  "echo ${x",
  "echo $((1",
  "((1+",
  "a=(1 2",
  "declare -A m=([a]=1",
  "echo a |",
  "echo a && ",
  "echo a ||\n",
  "echo $(cat <<E\nfoo)",
  "( : ) && (",
])("asks for another line after %j", (script) => {
  expect(isUnfinished(script)).toBe(true);
});

test.each([
  "",
  "echo a",
  "echo a # 'b",
  "echo a\\\nb",
  "echo \\\\",
  "cat <<E\nx\nE",
  "cat <<-E\nx\n\tE",
  "cat <<\\E\n$(\nE",
  "cat <<A <<B\n1\nA\n2\nB",
  "cat <<< 'a'",
  "case x in a) echo;; (b|c) if true; then :; fi;; esac",
  "case $x in\nin) ;; \nesac",
  "for ((i=0;i<3;i++)); do echo; done",
  "until false; do :; done | cat",
  "f ( ) { :; }",
  "f() ( echo )",
  "a=(1 # )\n2)",
  "[[ $x =~ ^(a|b)$ ]] && echo y",
  "echo <(ls) >&2",
  "echo $(case x in x) echo;; esac)",
  "echo \"$(echo ')')\" $(( (1+2) * 3 ))",
  'echo "a`echo "b"`"',
  "echo ${x:-'}'}",
  "echo if then {",
  "!(a|b)",
])("runs %j as it is", (script) => {
  expect(isUnfinished(script)).toBe(false);
});

test.each(["fi", "echo )", "}", "echo a; ;;", "done; if true", "cat <<\nx", "for x in a; fi"])(
  "leaves it to the shell to say what is wrong with %j",
  (script) => {
    expect(isUnfinished(script)).toBe(false);
  },
);
