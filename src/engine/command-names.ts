/** Names of commands that the engine has, by what they can do to the shell that runs them. */

/** Programs: what they do to variables, functions, options or the cwd stays in a process of their own. */
export const PROGRAMS: ReadonlySet<string> = new Set(
  (
    "[ awk base64 basename bash cat chmod clear cmp column comm cp curl cut date diff dirname du echo egrep env " +
    "expand expr false fgrep file find fold grep gunzip gzip head help hostname html-to-markdown id join jq " +
    "js-exec ln ls md5sum mkdir mktemp mv nl node od paste printenv pwd python python3 readlink realpath rev rg rm " +
    "rmdir sed seq sh sha1sum sha256sum sleep sort split sqlite3 stat strings tac tail tar tee test timeout touch tr " +
    "tree true uname unexpand uniq wc wget whoami xan xargs xxd yq zcat"
  ).split(" "),
);

/** Programs and those builtins that cannot make a redirection last. */
export const ORDINARY_COMMANDS: ReadonlySet<string> = new Set([
  ...PROGRAMS,
  ...(
    ": alias bg break cd continue declare dirs disown exit export fg getopts hash history jobs kill let local mapfile " +
    "popd printf pushd read readarray readonly return set shift shopt time times trap type typeset ulimit umask " +
    "unalias unset wait which"
  ).split(" "),
]);
