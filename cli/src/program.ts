import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { Argument as ArgumentSpec, Option as OptionSpec, Spec } from "./command.js";
import { exitHelp } from "./exit.js";
import type { CommonOptions } from "./io.js";

export type Table = Readonly<Record<string, Spec>>;

export interface Parsed {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly options: CommonOptions;
}

type Run = (parsed: Parsed) => Promise<void>;

export interface Names {
  readonly table: Table;
  readonly groups: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
  /** The parts of the help, and the first words of their commands. */
  readonly headings: Readonly<Record<string, readonly string[]>>;
}

export interface Streams {
  readonly version: string;
  out(text: string): void;
  err(text: string): void;
  readonly columns?: number | undefined;
}

export const commonOptions: Readonly<Record<keyof CommonOptions, OptionSpec>> = {
  json: { kind: "flag", about: "Print the API's response as JSON; for streams, one object per line" },
  quiet: { kind: "flag", short: "q", about: "Print only the result: no progress; lists print only names" },
  context: { kind: "text", about: "Context to use instead of the current one" },
  server: { kind: "text", about: "URL of the server; default: CI_SERVER, then the context" },
  token: { kind: "text", about: "Token; default: CI_TOKEN, then the context" },
};

const placeholders: Partial<Record<OptionSpec["kind"], string>> = {
  text: " <text>",
  texts: " <text>",
  list: " <names>",
  pairs: " <key=value>",
  number: " <number>",
  bool: " <true|false>",
  secret: " <secret|->",
  file: " <file|->",
};

/** Returns the flags of an option, such as `-n, --namespace <text>`. */
export const flagsOf = (name: string, { kind, short }: OptionSpec): string =>
  `${short ? `-${short}, ` : ""}--${name.replaceAll("_", "-")}${placeholders[kind] ?? ""}`;

function pairOf(text: string, earlier: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must have the form KEY=VALUE.");
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) };
}

function numberOf(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value === 0)
    throw new InvalidArgumentError("It must be a whole number from 1.");
  return value;
}

function boolOf(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("It must be true or false.");
  return text === "true";
}

type Parser = (text: string, earlier: never) => unknown;

const parsers: Partial<Record<OptionSpec["kind"], Parser>> = {
  pairs: pairOf,
  number: numberOf,
  bool: boolOf,
  texts: (text: string, earlier: readonly string[] = []) => [...earlier, text],
  list: (text: string, earlier: readonly string[] = []) => [...earlier, ...text.split(",").filter(Boolean)],
};

/** Restricts an option to some values. By itself, commander would then keep only the last of several. */
function addChoices(option: Option, choices: readonly string[], parser: Parser | undefined): void {
  option.choices(choices);
  const chosen = option.parseArg!;
  if (parser) option.argParser((text: string, earlier: never) => parser(chosen(text, earlier), earlier) as never);
}

function optionOf(name: string, spec: OptionSpec): Option {
  const option = new Option(flagsOf(name, spec), spec.about);
  const parser = parsers[spec.kind];
  if (parser) option.argParser(parser as never);
  if (spec.choices) addChoices(option, spec.choices, parser);
  if (spec.required) option.makeOptionMandatory();
  return option;
}

/** Returns the notation of an argument, such as `[build]`. */
export const wordOf = (name: string, { kind }: ArgumentSpec): string =>
  ({ one: `<${name}>`, optional: `[${name}]`, many: `[${name}...]` })[kind];

function argumentOf(name: string, spec: ArgumentSpec): Argument {
  const argument = new Argument(wordOf(name, spec), spec.about);
  return spec.choices ? argument.choices(spec.choices) : argument;
}

/** Returns the values of a command by the names in its spec. Options that were not given are absent. */
function inputOf(spec: Spec, command: Command): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [at, name] of Object.keys(spec.args ?? {}).entries()) input[name] = command.processedArgs[at];
  for (const option of command.options) {
    const name = option.name().replaceAll("-", "_");
    const value = command.getOptionValue(option.attributeName());
    if (value !== undefined) input[name] = value;
  }
  return input;
}

function addCommand(parent: Command, word: string, name: string, spec: Spec, run: Run) {
  const command = parent.command(word, { hidden: spec.hidden ?? false }).description(spec.about);
  for (const [argument, it] of Object.entries(spec.args ?? {})) command.addArgument(argumentOf(argument, it));
  for (const [option, it] of Object.entries(spec.options ?? {})) command.addOption(optionOf(option, it));
  if (spec.hidden) command.allowUnknownOption();
  command.action(() =>
    run({ name, input: inputOf(spec, command), options: command.optsWithGlobals() as CommonOptions }),
  );
}

/** Returns a program with every command of the table. It throws a CommanderError instead of exiting. */
export function programOf(
  { table, groups, aliases, headings }: Names,
  { version, out, err, columns }: Streams,
  run: Run,
): Command {
  const program = new Command("ci")
    .description("The command line of Service CI")
    .version(version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show this help")
    .helpCommand("help [command]", "Show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: out,
      writeErr: err,
      outputError: (text, write) => write(translated(reworded(text))),
      getOutHelpWidth: () => columns ?? 80,
      getErrHelpWidth: () => columns ?? 80,
    })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", `\n${exitHelp}`);
  for (const [name, spec] of Object.entries(commonOptions)) program.addOption(optionOf(name, spec));
  const hidden = Object.keys(table).filter((name) => table[name]!.hidden);
  for (const [heading, words] of [...Object.entries(headings), ["", hidden] as const]) {
    program.commandsGroup(heading && `${heading}:`);
    for (const word of words) {
      const spec = table[word];
      if (spec) addCommand(program, word, word, spec, run);
      else addGroup(program, word, { table, groups, aliases }, run);
    }
  }
  program.commandsGroup("");
  // Groups keep that of one word.
  program.helpCommand(false);
  program
    .command("help [command...]")
    .description("Show the help of a command")
    .action((words: string[]) => commandAt(program, words).help());
  return program;
}

const commandAt = (program: Command, words: readonly string[]): Command =>
  words.reduce((command, word) => {
    const found = command.commands.find((it) => it.name() === word || it.aliases().includes(word));
    return found ?? command.error(`error: unknown command "${word}"`);
  }, program);

function addGroup(program: Command, word: string, { table, groups, aliases }: Omit<Names, "headings">, run: Run): void {
  const group = program
    .command(word)
    .description(groups[word]!)
    .configureOutput({ outputError: (text, write) => write(reworded(text)) });
  if (aliases[word]) group.alias(aliases[word]);
  for (const [name, spec] of Object.entries(table)) {
    const [first, second] = name.split(" ");
    if (first === word && second) addCommand(group, second, name, spec, run);
  }
}

/** Commands by what other services call them. */
const elsewhere = new Map([
  ["cancel", "kill"],
  ["stop", "kill"],
  ["rerun", "restart"],
  ["retry", "restart"],
  ["secret", "vars"],
  ["secrets", "vars"],
  ["variable", "vars"],
  ["variables", "vars"],
  ["schedule", "cron"],
  ["schedules", "cron"],
  ["builds", "list"],
  ["pipelines", "list"],
  ["runs", "list"],
]);

function translated(text: string): string {
  const word = /^unknown command "([^"]*)"/.exec(text)?.[1] ?? "";
  const command = elsewhere.get(word);
  return command === undefined ? text : `unknown command "${word}", did you mean "${command}"?\n`;
}

/** Returns a parser message in our style: one sentence, with double quotes. */
const reworded = (text: string): string =>
  text
    .replace(/^error: /, "")
    .replace(/^(unknown option '--[^=']+)=.*(?=')/s, "$1")
    .replace(/'([^']*)'/g, '"$1"')
    .replace(
      /\.?\n\(Did you mean one of ([^?]*)\?\)/,
      (_, names: string) =>
        `, did you mean ${names
          .split(", ")
          .map((name) => `"${name}"`)
          .join(" or ")}?`,
    )
    .replace(/\.?\n\(Did you mean ([^?]*)\?\)/, ', did you mean "$1"?');
