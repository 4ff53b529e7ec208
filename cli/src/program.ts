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

export interface Names {
  readonly table: Table;
  readonly groups: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
}

export interface Streams {
  readonly version: string;
  out(text: string): void;
  err(text: string): void;
  readonly columns?: number | undefined;
}

export const commonOptions: Readonly<Record<keyof CommonOptions, OptionSpec>> = {
  json: { kind: "flag", about: "Print what the API answers; one object a line for streams" },
  quiet: { kind: "flag", short: "q", about: "Print only the result: no progress, of lists only names" },
  context: { kind: "text", about: "Context to use instead of the current one" },
  server: { kind: "text", about: "Address of the server; CI_SERVER if missing, then the context" },
  token: { kind: "text", about: "Token; CI_TOKEN if missing, then the context" },
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
  if (at < 1) throw new InvalidArgumentError("It has the form KEY=VALUE.");
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) };
}

function numberOf(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value === 0)
    throw new InvalidArgumentError("It is a whole number from 1.");
  return value;
}

function boolOf(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("It is true or false.");
  return text === "true";
}

const parsers: Partial<Record<OptionSpec["kind"], (text: string, earlier: never) => unknown>> = {
  pairs: pairOf,
  number: numberOf,
  bool: boolOf,
  texts: (text: string, earlier: readonly string[] = []) => [...earlier, text],
  list: (text: string, earlier: readonly string[] = []) => [...earlier, ...text.split(",").filter(Boolean)],
};

function optionOf(name: string, spec: OptionSpec): Option {
  const option = new Option(flagsOf(name, spec), spec.about);
  const parser = parsers[spec.kind];
  if (parser) option.argParser(parser as never);
  if (spec.choices) option.choices(spec.choices);
  if (spec.required) option.makeOptionMandatory();
  return option;
}

/** Returns how an argument is written, such as `[build]`. */
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

function addCommand(parent: Command, word: string, name: string, spec: Spec, run: (parsed: Parsed) => Promise<void>) {
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
  { table, groups, aliases }: Names,
  { version, out, err, columns }: Streams,
  run: (parsed: Parsed) => Promise<void>,
): Command {
  const program = new Command("ci")
    .description("The command line of Service CI")
    .version(version, "-V, --version", "Print the version")
    .exitOverride()
    .configureOutput({
      writeOut: out,
      writeErr: err,
      outputError: (text, write) => write(reworded(text)),
      getOutHelpWidth: () => columns ?? 80,
      getErrHelpWidth: () => columns ?? 80,
    })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", `\n${exitHelp}`);
  for (const [name, spec] of Object.entries(commonOptions)) program.addOption(optionOf(name, spec));
  const parents = new Map<string, Command>();
  for (const [name, about] of Object.entries(groups)) {
    const parent = program.command(name).description(about);
    const alias = aliases[name];
    parents.set(name, alias ? parent.alias(alias) : parent);
  }
  for (const [name, spec] of Object.entries(table)) {
    const [first = "", second] = name.split(" ");
    addCommand(second ? parents.get(first)! : program, second ?? first, name, spec, run);
  }
  return program;
}

/** Returns a message of the parser as ours are: in one sentence, with double quotes. */
export const reworded = (text: string): string =>
  text
    .replace(/^error: /, "")
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
