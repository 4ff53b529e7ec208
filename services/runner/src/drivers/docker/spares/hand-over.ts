import { quote } from "@ci/git/clone-commands";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Variable } from "../../../driver.js";

const maxHandedBytes = fixedLimit({
  max: 16 * 1024,
  unit: "bytes",
  about: "script and variables of a job in a container that waits for it",
  effect: "the job gets a new container, which takes longer",
});

/** Variables that some shells make read-only or use themselves. */
const special =
  /^(?:_|BASH\w*|COMP_\w*|DIRSTACK|ENV|E?UID|EPOCH\w*|ERRNO|FUNCNAME|GROUPS|HIST\w*|IFS|LINENO|MAIL\w*|OLDPWD|OPT\w*|PIPESTATUS|PPID|PS\d|PWD|RANDOM|READLINE_\w*|REPLY|SECONDS|SHELLOPTS|SHLVL|SRANDOM|__ci_\w*)$/;

/** The exit code of a container that was killed, or whose input broke off while it waited. */
export const killedCode = 137;

/** The arguments of a shell that prints `.`, and then runs the lines before the line `end` of its standard input. */
export const waitFor = (end: string, script: string): string[] => [
  "-c",
  `printf .; while IFS= read -r __ci_line || exit ${killedCode}; [ "$__ci_line" != ${end} ]; do __ci_text="$__ci_text$__ci_line
"; done; eval "$__ci_text"`,
  script,
];

/** Returns what a waiting shell reads to become the shell of a job; undefined if the job needs a container of its own. */
export function handedOver(script: string, variables: readonly Variable[]): string | undefined {
  const length = variables.reduce((sum, { key, value }) => sum + key.length + value.length, script.length);
  if (length > maxHandedBytes || variables.some(({ key }) => special.test(key))) return undefined;
  const exports = variables.map(({ key, value }) => `export ${key}=${quote(value)}\n`);
  const run = `(umask 077 && printf %s ${quote(script)} >"$0") && exec /bin/sh "$0" </dev/null\n`;
  const text = `${exports.join("")}${run}`;
  return text.includes("\0") || Buffer.byteLength(text) > maxHandedBytes ? undefined : text;
}
