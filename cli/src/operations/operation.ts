import { type Argument, type Option, one, type Spec, text } from "../command.js";

type Values = Readonly<Record<string, unknown>>;
type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** How an operation finds the id for a name: in a list, by a field of its records. */
export interface Lookup {
  readonly list: string;
  /** The list of one namespace. */
  readonly within?: string | undefined;
  readonly field: string;
  /** Whether the list takes `search`. */
  readonly searches: boolean;
}

/**
 * A command that sends one request. Its path may contain `{namespace}`, `{build}` and arguments. All other arguments
 * and options go into the query of a GET or an upload, else into the body.
 */
export interface Operation extends Spec {
  readonly method: Method;
  readonly path: string;
  /** The path with `--namespace`, if that is optional. */
  readonly within?: string | undefined;
  /** Columns of the table; without them the response is one record, or nothing. */
  readonly columns?: readonly string[] | undefined;
  /** Whether the records have outputs, which tables do not show. */
  readonly hasOutput?: boolean | undefined;
  /** A path below the record's, and how a terminal shows what is there. */
  readonly beside?: { readonly path: string; readonly fields: (found: never) => Values } | undefined;
  /** Returns the path of the delivery that the request sends, whose outcome the command waits for. */
  readonly deliveryAt?: ((path: string, id: unknown) => string) | undefined;
  /** Returns what the user still has to do after the request, if anything. */
  readonly nextStep?: ((record: Values) => string | undefined) | undefined;
  /** Whether the response means that the command has failed. */
  readonly failsIf?: ((record: Values) => boolean) | undefined;
  /** A field that is too long for a terminal; JSON has it. */
  readonly hides?: string | undefined;
  /** The field that names the record in other commands. */
  readonly names?: string | undefined;
  readonly lookup?: Lookup | undefined;
  /** What to say if the response is an empty list. */
  readonly emptyNote?: string | undefined;
  /** The argument whose file is the content of the request. */
  readonly upload?: string | undefined;
  /** The secret that the command makes, and shows once, unless the user gives one. */
  readonly fresh?: string | undefined;
  /** A list shows only records in which this field is true, unless `--all`, which `all` describes. JSON has all. */
  readonly only?: { readonly field: string; readonly all: string; readonly others: (count: number) => string };
  /** Asks before it deletes for good. */
  readonly asks?: boolean | undefined;
  /** The body's field for a value, if it differs from the value's name. */
  readonly bodyOf?: ((fields: Values) => unknown) | undefined;
}

export type Operations = Readonly<Record<string, Operation>>;

const operation =
  (method: Method) =>
  (path: string, about: string, more: Partial<Operation> = {}): Operation => ({ ...more, method, path, about });

export const get = operation("GET");
export const post = operation("POST");
export const patch = operation("PATCH");
export const del = operation("DELETE");

export const namespace = text("Namespace, path or path@owner", { short: "n" });
export const itsNamespace = text("Namespace, path or path@owner", { short: "n", required: true });

/** Shared by the operations on one kind of record. */
export interface Resource {
  /** Name of the kind, with its article. */
  readonly one: string;
  readonly many: string;
  readonly path: string;
  readonly within?: string | undefined;
  /** The field that holds a record's name. */
  readonly field: string;
  readonly columns: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Whether the list takes `search`. */
  readonly searches?: boolean;
}

type Arguments = Readonly<Record<string, Argument>>;
type Options = Readonly<Record<string, Option>>;

/** Returns functions that declare the usual operations on a resource. */
export function resource(declared: Resource) {
  const { one: it, many, path, within, field, columns, options = {}, searches = false } = declared;
  const lookup = { list: path, within, field, searches };
  const search = text("Only those whose name contains this text");
  const id = one(field.endsWith("url") ? "Id or address" : "Id or name");
  const scope: Options = within ? { ...options, namespace } : options;
  const at = `${path}/{id}`;
  const single = { args: { id }, options: scope, lookup, names: "id" };
  return {
    single,
    list: () => {
      const all = { ...scope, ...(searches ? { search } : {}) };
      return get(path, `List ${many}`, { within, columns, names: field, options: all });
    },
    show: (more: Partial<Operation> = {}) => get(at, `Show ${it}`, { ...single, ...more }),
    create: (args: Arguments, fields: Options = {}, more: Partial<Operation> = {}) =>
      post(path, `Create ${it}`, { args, options: { ...scope, ...fields }, names: "id", ...more }),
    update: (fields: Options, about = `Change ${it}`) =>
      patch(at, about, { ...single, options: { ...scope, ...fields } }),
    remove: () => del(at, `Delete ${it}`, single),
  };
}
