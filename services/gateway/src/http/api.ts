import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { runAs } from "@ci/kit/rpc/caller";
import { asFault, invalid } from "@ci/kit/rpc/fault";
import { audited, type Refusals } from "../audit/audited.js";
import { confirmToken } from "../auth/authenticate.js";
import { readBody } from "../content/body.js";
import type { Context } from "../context.js";
import type { Turns } from "../limits/turns.js";
import { userOf } from "../limits/user-of.js";
import { complaining } from "./complain.js";
import { disconnected, type Handler, queryOf } from "./exchange.js";
import { fail } from "./fail.js";
import { noteKey } from "./idempotency-key.js";
import { Page, pageNumber } from "./page.js";
import { sendRecords } from "./records.js";
import { exchangeOf, type Routed } from "./routed.js";
import type { Input, Reply, Row } from "./row.js";
import { unstored } from "./security.js";
import { send } from "./send.js";
import { type Lengths, type Reading, readFields } from "./shape.js";
import { warnOfUnknown } from "./unknown-parameters.js";

const nothing: Reading = { values: {}, complaints: {} };

/** Reads the fields of the query. Of a repeated name the first counts; an empty value counts as missing. */
function readQuery(row: Row, query: URLSearchParams, lengths: Lengths): Reading {
  const { query: shape, upload } = row.action;
  if (!shape || upload) return nothing;
  const given = Object.keys(shape).map((name) => [name, query.get(name) || undefined]);
  return readFields(shape, Object.fromEntries(given), lengths);
}

/** A secret is all that such a body holds. Each connection may keep one in memory. */
const maxStrangersBytes = fixedLimit({
  max: 8 * 1024,
  unit: "bytes",
  about: "body of a request without a token, except of hooks",
  refusal: "Request body too large",
});

function bodyOf({ config }: Context, { request, found }: Routed): Promise<Record<string, unknown>> {
  const { permission, action } = found!.row;
  const limitBytes = permission === "none" ? Math.min(maxStrangersBytes, config.bodyBytes) : config.bodyBytes;
  return readBody(request, action, limitBytes);
}

type Fields = Awaited<ReturnType<typeof bodyOf>>;

async function serve(ctx: Context, exchange: Routed, early?: Fields): Promise<unknown> {
  const { row, params } = exchange.found!;
  const { target, body: shape, run } = row.action;
  // A missing target is reported before mistakes in the request.
  const checkTarget = () => target?.(ctx, { params, exchange });
  const orMissing = async (error: unknown) => {
    await checkTarget();
    throw error;
  };
  const query = queryOf(exchange);
  const { lengths } = ctx.config;
  warnOfUnknown(row, query, exchange.response);
  const filters = readQuery(row, query, lengths);
  if (Object.keys(filters.complaints).length > 0) {
    await checkTarget();
    throw invalid(filters.complaints);
  }
  if (row.action.repeatable) await noteKey(exchange).catch(orMissing);
  let body = nothing;
  if (shape) {
    body = readFields(shape, early ?? (await bodyOf(ctx, exchange).catch(orMissing)), lengths);
  }
  await confirmToken(ctx, exchange);
  const page = { number: pageNumber(query.get("page")) };
  const input: Input = { params, query: filters.values, body: body.values, page, exchange };
  return complaining(ctx, body.complaints, (ctx) => run(ctx, input));
}

async function answer(ctx: Context, exchange: Routed, reply: unknown): Promise<void> {
  const { code, action } = exchange.found!.row;
  if (code === 204) return send(exchange.response, code, {});
  if (reply instanceof Page)
    return sendRecords(ctx, exchange, code, reply.json, reply.headers(exchange, ctx.config.publicUrl));
  return sendRecords(ctx, exchange, code, JSON.stringify(reply), action.secret ? unstored : {});
}

/** Uploads take as long as their clients like. */
interface TurnsOfUsers {
  readonly requests: Turns;
  readonly uploads: Turns;
}

/** Works and answers in its user's turn. Strangers' bodies arrive before it, content leaves after it, at the client's speed. */
async function replyTo(ctx: Context, turns: TurnsOfUsers, exchange: Routed): Promise<void> {
  const { permission, action } = exchange.found!.row;
  const early = permission === "none" && action.body ? await bodyOf(ctx, exchange) : undefined;
  // No frame keeps the reply while a client takes it: only the bytes to send are counted.
  const work = () =>
    audited(ctx, exchange, () => serve(ctx, exchange, early)).then((reply) =>
      typeof reply === "function" ? (reply as Reply) : answer(ctx, exchange, reply).then(() => undefined),
    );
  const take = action.upload ? turns.uploads : turns.requests;
  // Hooks have limits of their own, and checks of health share theirs.
  const needsNoTurn = action.raw || action.unlimited;
  const content = await (needsNoTurn ? work() : take(userOf(ctx.config, exchange), disconnected(exchange), work));
  await content?.(exchange, ctx);
}

export const api =
  (ctx: Context, turns: TurnsOfUsers, record: Refusals): Handler =>
  (_request, response) => {
    const exchange = exchangeOf(response);
    const refuse = async (error: unknown) => {
      // All other refusals here have an entry already.
      const unrecorded = exchange.found?.row.action.signsIn ? await record(exchange, error).catch(asFault) : undefined;
      fail(ctx.log, exchange, unrecorded ?? error);
    };
    runAs(exchange.caller, () => replyTo(ctx, turns, exchange)).catch(refuse);
  };
