import type { z } from "zod";
import type { Context } from "../context.js";
import type { Exchange } from "./exchange.js";
import type { Shape, Values } from "./shape.js";

/** The values in a path: digits as numbers, everything else as percent-decoded text. */
export interface Params {
  readonly user: string;
  readonly username: string;
  readonly provider: string;
  readonly path: string;
  readonly name: string;
  readonly number: number;
  readonly id: number;
  readonly delivery: number;
}

/** The values in a request's path, query and body, checked for their types. */
export interface Input<Q extends Shape = Shape, B extends Shape = Shape> {
  readonly params: Params;
  readonly query: Values<Q>;
  readonly body: Values<B>;
  /** Which page of a list, from 1. */
  readonly page: { readonly number: number };
  readonly exchange: Exchange;
}

export type Address = Pick<Input, "params" | "exchange">;

/** Writes a response itself: content, a stream, or a document. */
export type Reply = (exchange: Exchange, ctx: Context) => Promise<void> | void;

export const kinds = [
  "user",
  "token",
  "session",
  "identity",
  "build",
  "cache",
  "tag",
  "namespace",
  "invite",
  "collaborator",
  "webhook",
  "delivery",
  "repository",
  "image",
  "object",
  "variable",
  "key",
  "cron",
] as const;
export type Kind = (typeof kinds)[number];

/** What a row of the table does: the shapes of its input and output, and the function. */
export interface Action<Q extends Shape = Shape, B extends Shape = Shape> {
  readonly summary: string;
  /** The kind of record that it changes; for the audit log. */
  readonly changes?: Kind;
  readonly query?: Q;
  /** Fields of the body. Without them the body is not read. */
  readonly body?: B;
  /** Fields that the description calls required. The service that needs them checks them. */
  readonly required?: readonly (keyof B & string)[];
  /** The field that a JSON body is the value of. */
  readonly whole?: keyof B & string;
  /** The body is content, or a form with the part `file`; the fields of `query` may also be in the form. */
  readonly upload?: boolean;
  /** `run` reads the body's bytes, whatever their type. */
  readonly raw?: boolean;
  /** Its service stores the entry of the audit log with the change. */
  readonly carriesEntry?: boolean;
  /** With an `Idempotency-Key`, a repeated request makes nothing more. */
  readonly repeatable?: boolean;
  /** Its body holds the secret that names the user. */
  readonly signsIn?: boolean;
  /** Has no limit per minute and waits for no turn: other requests from the address must not make a health check fail. */
  readonly unlimited?: boolean;
  /** Fields of a JSON body that says where the content can be downloaded. */
  readonly download?: Shape;
  readonly returns?: z.ZodType;
  /** The response holds a secret that is shown only once. */
  readonly secret?: boolean;
  /** The response is a list of such records, one page at a time. */
  readonly paged?: boolean;
  readonly many?: boolean;
  /** What the response may be instead of JSON, by the request's Accept. */
  readonly media?: readonly string[];
  /** `?download` returns content, in parts too, as a file to save, whatever the request accepts. */
  readonly file?: boolean;
  readonly event?: z.ZodType;
  /** Throws `not_found` unless the caller may act on an existing target. Runs only before other complaints. */
  readonly target?: (ctx: Context, address: Address) => Promise<unknown>;
  readonly refuses?: readonly string[];
  /**
   * Returns JSON or a Reply. What a row with an empty response returns says only which namespace the record belonged to.
   * Also runs for complaints only, see complain.ts.
   */
  readonly run: (ctx: Context, input: Input<Q, B>) => unknown;
}

/** Keeps the types of the shapes for `run`, and drops them for the table. */
export const action = <Q extends Shape = Record<never, never>, B extends Shape = Record<never, never>>(
  typed: Action<Q, B>,
): Action => typed as unknown as Action;

/**
 * `none` needs no token, `any` any valid one. A text may name several permissions, as a scope does: then all are needed.
 * Any one of several texts suffices; a refusal names what the first needs.
 */
export type Permission = "none" | "any" | `${string}:${string}`;

export interface Row {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly permission: Permission | readonly Permission[];
  readonly code: 200 | 201 | 202 | 204 | 303;
  readonly action: Action;
  /** The name in the description, under which the action is exported. */
  readonly operation: string;
  readonly group: string;
}

export type Groups = Readonly<
  Record<string, { readonly about: string; readonly actions: Readonly<Record<string, unknown>> }>
>;

/** Returns a function that writes a row for an action of one of the groups. */
export function rowsOf(groups: Groups) {
  const names = new Map<unknown, Pick<Row, "operation" | "group">>();
  for (const [group, { actions }] of Object.entries(groups))
    for (const [operation, action] of Object.entries(actions)) names.set(action, { operation, group });
  return (
    method: Row["method"],
    path: string,
    permission: Row["permission"],
    code: Row["code"],
    action: Action,
  ): Row => ({ method, path, permission, code, action, ...names.get(action)! });
}
