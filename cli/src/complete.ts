import type { Option, Spec } from "./command.js";
import { commonOptions, flagsOf, type Names } from "./program.js";

const flagWords = (name: string, option: Option): string[] => flagsOf(name, option).match(/(?<![\w-])--?[\w-]+/g) ?? [];

const takesValue = ({ kind }: Option): boolean => kind !== "flag";

interface Place {
  readonly path: string;
  readonly spec?: Spec | undefined;
  /** Number of arguments before the last word. */
  readonly given: number;
  /** The option that the last word is the value of. */
  readonly option?: Option | undefined;
}

/** Parses the words before the last one. */
function placeOf({ table, groups, aliases }: Omit<Names, "headings">, before: readonly string[]): Place {
  let path = "";
  let given = 0;
  let option: Option | undefined;
  const canonical = (word: string) => Object.keys(aliases).find((name) => aliases[name] === word) ?? word;
  for (const word of before) {
    const options = Object.entries({ ...commonOptions, ...table[path]?.options });
    if (option) option = undefined;
    else if (word.startsWith("-")) {
      const found = options.find(([name, it]) => flagWords(name, it).includes(word))?.[1];
      option = found && takesValue(found) ? found : undefined;
    } else if (table[path]) given++;
    else path = path === "" ? canonical(word) : `${path} ${word}`;
    if (path !== "" && !table[path] && !groups[path]) return { path, given: 0 };
  }
  return { path, given, option, spec: table[path] };
}

/** Returns completions for the unfinished last word of a command line. */
export function completionsOf(names: Names, words: readonly string[]): string[] {
  const last = words.at(-1) ?? "";
  const { path, spec, given, option } = placeOf(names, words.slice(0, -1));
  const starting = (candidates: readonly string[]) => candidates.filter((word) => word.startsWith(last));
  if (option) return starting(option.kind === "bool" ? ["true", "false"] : (option.choices ?? []));
  if (last.startsWith("-")) {
    const options = Object.entries({ ...spec?.options, ...commonOptions });
    return starting(
      ["--help", ...options.flatMap(([name, it]) => flagWords(name, it))].filter((word) => word.startsWith("--")),
    );
  }
  if (spec) return starting(Object.values(spec.args ?? {})[given]?.choices ?? []);
  const prefix = path === "" ? "" : `${path} `;
  const commands = Object.entries(names.table).filter(([name, { hidden }]) => !hidden && name.startsWith(prefix));
  return starting([...new Set(commands.map(([name]) => name.slice(prefix.length).split(" ")[0]!))]);
}
