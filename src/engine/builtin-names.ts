/** The builtins of bash 5.2, in the order in which `enable` lists them. */
export const BUILTIN_NAMES: readonly string[] = (
  ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs " +
  "disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local " +
  "logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend " +
  "test times trap true type typeset ulimit umask unalias unset wait"
).split(" ");
