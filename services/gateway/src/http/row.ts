import type { z } from "zod";
import type { Context } from "../context.js";
import type { Exchange } from "./exchange.js";
import type { Params } from "./match.js";
import type { Shape, Values } from "./shape.js";

/** What a request asks: the values of its path, query and body, checked for their types. */
export interface Ask<Q extends Shape = Shape, B extends Shape = Shape> {
  readonly params: Params;
  readonly query: Values<Q>;
  readonly body: Values<B>;
  /** Which page of a list, from 1. */
  readonly page: { readonly number: number };
  readonly exchange: Exchange;
}

/** An answer that writes itself: content, a stream, or JSON with headers of its own. */
export type Reply = (exchange: Exchange, ctx: Context) => Promise<void> | void;

/** What a row of the table does: the shapes of what it takes and gives, and the function. */
export interface Action<Q extends Shape = Shape, B extends Shape = Shape> {
  /** One line for the description. */
  readonly summary: string;
  /** Query parameters besides `page`. */
  readonly query?: Q;
  /** Fields of the body. Without them the body is not read. */
  readonly body?: B;
  /** The field that a JSON body as a whole is the value of. */
  readonly whole?: keyof B & string;
  /** The body is content, or a form with the part `file`; the fields of `query` may stand in the form instead. */
  readonly upload?: boolean;
  /** The bytes of the body count as they are, whatever their type; `run` reads them. */
  readonly raw?: boolean;
  /** Fields of a JSON body that stands for content that is elsewhere. */
  readonly download?: Shape;
  /** The record that is answered. */
  readonly answer?: z.ZodType;
  /** Many of them, a page at a time. */
  readonly paged?: boolean;
  /** Several of them at once, without pages. */
  readonly many?: boolean;
  /** What the answer may be instead of JSON, by the request's Accept. */
  readonly media?: readonly string[];
  /** Each event of an answer that is a stream of them. */
  readonly event?: z.ZodType;
  /**
   * Fault `not_found` unless the target exists and the caller may do this to it. Run only before complaining about
   * a query, or a body that cannot be read, which must not come first; otherwise the service checks by itself.
   */
  readonly target?: (ctx: Context, ask: Pick<Ask, "params" | "exchange">) => Promise<unknown>;
  /** What it may complain about besides the fields it takes. */
  readonly refuses?: readonly string[];
  /**
   * Answers the JSON value, a Reply, or undefined for an empty answer. It is also run when fields of the body have
   * wrong types, so that the service says what else is wrong: whatever it creates or changes there has to come after
   * a call of `refuse` (kit/refuse).
   */
  readonly run: (ctx: Context, ask: Ask<Q, B>) => unknown;
}

/** Keeps the types of the shapes for `run`, and forgets them for the table. */
export const action = <Q extends Shape = Record<never, never>, B extends Shape = Record<never, never>>(
  of: Action<Q, B>,
): Action => of as unknown as Action;

/** No token needed, any valid token, or one of these permissions; a refusal names the first. */
export type Permission = "none" | "any" | `${string}:${string}`;

/** One row of the table: who may ask for what, and which status says that it went well. */
export interface Row {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly permission: Permission | readonly Permission[];
  readonly code: 200 | 201 | 202 | 204;
  readonly action: Action;
}

/** Writes a row. */
export const row = (
  method: Row["method"],
  path: string,
  permission: Row["permission"],
  code: Row["code"],
  does: Action,
): Row => ({ method, path, permission, code, action: does });
