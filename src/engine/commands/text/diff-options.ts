/** What `diff` takes. */
import type { GnuOption, GnuProgram } from "../gnu-options.ts";

const OPTIONS = {
  normal: { long: "normal" },
  brief: { short: "q", long: "brief" },
  reportSame: { short: "s", long: "report-identical-files" },
  context: { short: "c" },
  contextLines: { short: "C", long: "context", value: "required" },
  unified: { short: "u" },
  unifiedLines: { short: "U", long: "unified", value: "optional" },
  ed: { short: "e", long: "ed" },
  rcs: { short: "n", long: "rcs" },
  sideBySide: { short: "y", long: "side-by-side" },
  width: { short: "W", long: "width", value: "required" },
  leftColumn: { long: "left-column" },
  suppressCommon: { long: "suppress-common-lines" },
  functions: { short: "p", long: "show-c-function" },
  functionLine: { short: "F", long: "show-function-line", value: "required" },
  label: { short: "L", long: "label", value: "required" },
  recursive: { short: "r", long: "recursive" },
  newFile: { short: "N", long: "new-file" },
  unidirectional: { short: "P", long: "unidirectional-new-file" },
  exclude: { short: "x", long: "exclude", value: "required" },
  ignoreCase: { short: "i", long: "ignore-case" },
  ignoreTrailingSpace: { short: "Z", long: "ignore-trailing-space" },
  ignoreSpaceChange: { short: "b", long: "ignore-space-change" },
  ignoreAllSpace: { short: "w", long: "ignore-all-space" },
  ignoreBlankLines: { short: "B", long: "ignore-blank-lines" },
  ignoreMatching: { short: "I", long: "ignore-matching-lines", value: "required" },
  text: { short: "a", long: "text" },
  stripCr: { long: "strip-trailing-cr" },
  minimal: { short: "d", long: "minimal" },
  speed: { short: "H", long: "speed-large-files" },
  expandTabs: { short: "t", long: "expand-tabs" },
  initialTab: { short: "T", long: "initial-tab" },
  color: { long: "color", value: "optional" },
  lineFormat: { long: "line-format", value: "required" },
  oldLineFormat: { long: "old-line-format", value: "required" },
  newLineFormat: { long: "new-line-format", value: "required" },
  unchangedLineFormat: { long: "unchanged-line-format", value: "required" },
} as const satisfies Record<string, GnuOption>;

export type DiffKey = keyof typeof OPTIONS;

export const diffProgram: GnuProgram<DiffKey> & { readonly options: Readonly<Record<DiffKey, GnuOption>> } = {
  name: "diff",
  options: OPTIONS,
  usageStatus: 2,
  compatibleWith: "GNU diffutils 3.8",
  help: `Usage: diff [OPTION]... FILES
Compare FILES line by line.

      --normal                  output a normal diff (the default)
  -q, --brief                   report only when files differ
  -s, --report-identical-files  report when two files are the same
  -c, -C NUM, --context=NUM     output NUM (default 3) lines of copied context
  -u, -U NUM, --unified[=NUM]   output NUM (default 3) lines of unified context
  -e, --ed                      output an ed script
  -n, --rcs                     output an RCS format diff
  -y, --side-by-side            output in two columns
  -W, --width=NUM               output at most NUM (default 130) print columns
      --left-column             output only the left column of common lines
      --suppress-common-lines   do not output common lines
  -p, --show-c-function         show which C function each change is in
  -F, --show-function-line=RE   show the most recent line matching RE
      --label LABEL             use LABEL instead of file name and timestamp
  -r, --recursive               recursively compare any subdirectories found
  -N, --new-file                treat absent files as empty
  -x, --exclude=PAT             exclude files that match PAT
  -i, --ignore-case             ignore case differences in file contents
  -Z, --ignore-trailing-space   ignore white space at line end
  -b, --ignore-space-change     ignore changes in the amount of white space
  -w, --ignore-all-space        ignore all white space
  -B, --ignore-blank-lines      ignore changes where lines are all blank
  -I, --ignore-matching-lines=RE  ignore changes where all lines match RE
  -a, --text                    treat all files as text
      --strip-trailing-cr       strip trailing carriage return on input
      --GTYPE-line-format=LFMT  format GTYPE (old, new, unchanged) lines with LFMT
      --color[=WHEN]            taken; output is no terminal and has no color
      --help                    display this help and exit
  -v, --version                 output version information and exit

If a FILE is '-', read standard input.
Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.
`,
};
