// Writes docs/cli.md from the table of commands: `npm run cli`, after a build. With `--check`, it only reports whether
// the page is up to date.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commonOptions, flagsOf, wordOf } from "../cli/dist/program.js";
import { headings, table } from "../cli/dist/table.js";

/** @param {string} text */
const code = (text) => `\`${text.replaceAll("|", "\\|")}\``;

/**
 * Returns the options of a command as help shows them; those that are not required in brackets.
 * @param {Readonly<Record<string, import("../cli/dist/command.js").Option>>} options
 */
const flags = (options) =>
  Object.entries(options).map(([name, option]) => {
    const flag = flagsOf(name, option).replace(/^-\w, /, "");
    return option.required ? flag : `[${flag}]`;
  });

/**
 * @param {(name: string) => boolean} belongs
 */
const rows = (belongs) => {
  const commands = Object.entries(table).filter(([name, { hidden }]) => !hidden && belongs(name));
  const lines = commands.map(([name, { about, args = {}, options = {} }]) => {
    const words = Object.entries(args).map(([arg, spec]) => wordOf(arg, spec));
    return `| ${code(["ci", name, ...words, ...flags(options)].join(" "))} | ${about} |`;
  });
  return ["| Command | What it does |", "|---|---|", ...lines].join("\n");
};

const sections = Object.entries(headings).map(
  ([heading, words]) => `### ${heading}\n\n${rows((name) => words.includes(name.split(" ")[0] ?? ""))}`,
);

const page = `# The command line

\`ci\` has a command for nearly every route of the API, for terminals and scripts. It needs Node.js 20.19 or later. \`npm start\` and \`npm run build\` compile
it. Then define \`ci\`, as a function because zsh completes no words of an alias (remove an alias of that name first):

\`\`\`sh
ci_main="$PWD/cli/dist/main.js"
ci() { node "$ci_main" "$@"; }
\`\`\`

\`npm start\` prints the function for \`~/.bashrc\` or \`~/.zshrc\`, with the path in it. In fish, write \`alias ci="node $PWD/cli/dist/main.js"\`.

## Sign in

\`\`\`sh
ci login https://ci.example.com      # asks for a token; a script writes it to standard input
ci whoami
\`\`\`

\`ci\` keeps the address and the token as a *context* in \`$XDG_CONFIG_HOME/service-ci/contexts.json\` (\`~/.config\` if it is not set), which
only you can read. Sign in to several servers, then choose one with \`ci context use\`, or with \`--context\` for one command. The options
\`--server\` and \`--token\` take precedence over the variables \`CI_SERVER\` and \`CI_TOKEN\`, and these over the context. A token is never sent
to a server other than its own.

## Run a build

\`\`\`sh
ci lint                              # what is wrong with .service-ci.yml and .service-ci/*.yml, and at which line
ci run                               # runs it here, with the files of this folder and without a server
ci submit --follow                   # submits it and prints the output; the exit code is that of the build
ci submit ci/release.yml -f --var VERSION=1.2.0 --namespace team/web@alice
echo '{driver: {type: os}, jobs: [{stage: test, commands: [make test]}]}' | ci submit - -f
ci logs -f last                      # again; -j NAME prints one job
ci logs --failed last                # the jobs that failed
ci artifacts download last -C out    # verifies what it downloads, and continues what was interrupted
ci repos run 3 main -n team/web      # builds the newest commit of a branch of the connected repository 3
\`\`\`

Name a build by its number, as \`alice/12\`, by its URL, or as \`last\`, which is your newest one. A matrix has several builds: \`submit --follow\`
prints one after another, and the worst one decides the exit code. \`last\` is then the last of them only, and \`ci list\` shows the others.
Ctrl-C ends \`ci\`, but the build continues. [Builds on your machine](local.md) explains \`ci run\`.

## In scripts

- \`--json\` prints the API's response. Streams (\`submit -f\`, \`run\`, \`logs -f\`, \`events\`) print one object per line.
- \`--quiet\` prints only the result; lists print only names: \`ci kill "$(ci list --status running --limit 1 -q)"\`.
- In a pipe, tables become tab-separated rows without headings and colors, with full times and exact sizes. \`NO_COLOR\` turns colors
  off. Build output is printed unchanged there, but of its escape sequences a terminal gets only colors and erased ends of lines.
- \`ci webhooks test\` and \`ci webhooks redeliver\` wait up to half a minute for the outcome. They exit with 1 unless the
  request was delivered: also if it still waits or was cancelled. \`ci repos run\` exits with 1 if it triggers
  no build, or if a manifest is invalid.
- \`ci lint --json\` of several manifests prints one object each, with the name of the file as \`manifest\`.
- \`ci kill\` of a finished build says so, changes nothing and exits with 0.
- \`ci submit\`, \`ci restart\` and \`ci cron run\` make one build, also if the response gets lost: they [repeat the request](repeat.md) up to five
  times.
- Results go to standard output, everything else to standard error.

| Exit code | Meaning |
|---|---|
| 0 | done; the build passed |
| 1 | the build or the request failed |
| 2 | wrong usage, not signed in, or \`ci run\` lacks something on this machine |
| 3 | the build was killed |
| 4 | the build timed out |
| 130 | interrupted |

## Behind a proxy, or with an authority of your own

\`ci\` follows the variables of Node.js. If your organization signs certificates itself, set \`NODE_EXTRA_CA_CERTS\` to the file of the
authority's certificate. With \`NODE_USE_ENV_PROXY=1\`, Node.js 24 and later connect through the proxies in \`HTTPS_PROXY\` and \`HTTP_PROXY\`,
except to the hosts in \`NO_PROXY\`.

## Complete words

\`\`\`sh
source <(ci completion bash)         # in ~/.bashrc; zsh: the same in ~/.zshrc, after compinit
ci completion fish | source          # in ~/.config/fish/config.fish
\`\`\`

## Every command

\`ci help COMMAND\` explains each option. Name records by id or by name, webhooks and repositories by id or address. If an option accepts \`-\`, that reads standard input,
so that no secret has to be on the command line. All commands take ${Object.entries(commonOptions)
  .map(([name, option]) => code(flagsOf(name, option)))
  .join(", ")}.

${sections.join("\n\n")}
`;

const file = join(import.meta.dirname, "cli.md");
if (!process.argv.includes("--check")) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, "utf8") !== page) {
  console.error("docs/cli.md is out of date. Run: npm run cli");
  process.exitCode = 1;
}
