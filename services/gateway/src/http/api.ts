import { runAs } from "@ci/kit/rpc/caller";
import { invalid } from "@ci/kit/rpc/fault";
import { sendJson } from "./answer.js";
import { readBody } from "../content/body.js";
import { complaining } from "./complain.js";
import type { Context } from "../context.js";
import { type Exchange, exchangeOf, type Handler, queryOf } from "./exchange.js";
import { fail } from "./fail.js";
import { pageNumber } from "./page.js";
import type { Ask, Reply, Row } from "./row.js";
import { send } from "./send.js";
import { type Reading, readFields } from "./shape.js";

const nothing: Reading = { values: {}, complaints: {} };

/** The fields of the query: the first of a repeated name, and an empty value counts as left out. */
function readQuery(row: Row, query: URLSearchParams): Reading {
  const { query: shape, upload } = row.action;
  if (!shape || upload) return nothing;
  const given = Object.keys(shape).map((name) => [name, query.get(name) || undefined]);
  return readFields(shape, Object.fromEntries(given));
}

/** Answers one request by the row that was found for it. */
async function serve(ctx: Context, exchange: Exchange): Promise<void> {
  const { row, params } = exchange.found!;
  const { target, body: shape, run } = row.action;
  // Whether there is anything to be asked for comes before how it was asked.
  const targetFirst = () => target?.(ctx, { params, exchange });
  const query = queryOf(exchange);
  const asked = readQuery(row, query);
  if (Object.keys(asked.complaints).length > 0) {
    await targetFirst();
    throw invalid(asked.complaints);
  }
  let sent = nothing;
  if (shape) {
    const given = await readBody(exchange.request, row.action, ctx.config.bodyBytes).catch(async (error) => {
      await targetFirst();
      throw error;
    });
    sent = readFields(shape, given);
  }
  const page = { number: pageNumber(query.get("page")) };
  const ask: Ask = { params, query: asked.values, body: sent.values, page, exchange };
  await answer(ctx, row, exchange, await complaining(sent.complaints, () => run(ctx, ask)));
}

async function answer(ctx: Context, row: Row, exchange: Exchange, reply: unknown): Promise<void> {
  if (typeof reply === "function") await (reply as Reply)(exchange, ctx);
  else if (reply === undefined) send(exchange.response, row.code, {});
  else sendJson(exchange.response, row.code, reply);
}

/** Serves the table. */
export const api =
  (ctx: Context): Handler =>
  (_request, response) => {
    const exchange = exchangeOf(response);
    runAs(exchange.caller, () => serve(ctx, exchange)).catch((error) => fail(ctx.log, exchange, error));
  };
