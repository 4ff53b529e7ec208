import type { Io } from "./io.js";

/**
 * The kind of an option. `secret` and `file` accept `-` for standard input; `file` otherwise names a file whose content
 * is the value. Commas separate the values of `list`. `texts`, `list` and `pairs` may be repeated.
 */
export type OptionKind = "flag" | "bool" | "text" | "texts" | "list" | "pairs" | "number" | "secret" | "file";

export interface Option {
  readonly kind: OptionKind;
  readonly about: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  readonly required?: boolean;
}

export interface Argument {
  readonly kind: "one" | "optional" | "many";
  readonly about: string;
  readonly choices?: readonly string[];
}

/** The arguments and options of a command. Help, completion, the reference and its handler's types come from this. */
export interface Spec {
  readonly about: string;
  readonly args?: Readonly<Record<string, Argument>>;
  readonly options?: Readonly<Record<string, Option>>;
  readonly hidden?: boolean;
}

type OptionValue<K> = K extends "flag" | "bool"
  ? boolean
  : K extends "texts" | "list"
    ? readonly string[]
    : K extends "pairs"
      ? Readonly<Record<string, string>>
      : K extends "number"
        ? number
        : string;

type ArgumentValue<K> = K extends "many" ? readonly string[] : K extends "optional" ? string | undefined : string;

type Kinds = Readonly<Record<string, { readonly kind: string }>>;
type Arguments<A> = A extends Kinds ? { readonly [N in keyof A]: ArgumentValue<A[N]["kind"]> } : unknown;
type Options<O> = O extends Kinds ? { readonly [N in keyof O]?: OptionValue<O[N]["kind"]> } : unknown;

/** The values of a command's arguments and options, by name. */
export type Input<S> = (S extends { args: infer A } ? Arguments<A> : unknown) &
  (S extends { options: infer O } ? Options<O> : unknown);

/** Runs a command. Returns its exit code, 0 if undefined. */
export type Handler<S> = (io: Io, input: Input<S>) => Promise<number | undefined>;

export const one = (about: string, more: Partial<Argument> = {}) => ({ ...more, kind: "one", about }) as const;
export const optional = (about: string, more: Partial<Argument> = {}) =>
  ({ ...more, kind: "optional", about }) as const;
export const many = (about: string) => ({ kind: "many", about }) as const;

/** Returns a function that declares options of one kind. */
const option =
  <K extends OptionKind>(kind: K) =>
  (about: string, more: Omit<Option, "kind" | "about"> = {}) =>
    ({ ...more, kind, about }) as const;

export const flag = option("flag");
export const bool = option("bool");
export const text = option("text");
export const texts = option("texts");
export const list = option("list");
export const pairs = option("pairs");
export const number = option("number");
export const secret = option("secret");
export const file = option("file");
