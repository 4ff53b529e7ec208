import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { asFault } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { answerTo } from "../http/answer.js";
import type { Found } from "../http/match.js";
import type { Routed } from "../http/routed.js";
import { newEntry, shownBy } from "./entry.js";

/** Reports whether the requests of a row are recorded: users' requests that may change something. */
export const isAudited = ({ row: { action, permission } }: Found): boolean =>
  action.changes !== undefined && permission !== "none";

/**
 * Does the work of a request while its entry is being stored, and returns when both are done. So no change is answered
 * without an entry. The outcome follows within milliseconds.
 */
export async function audited<T>(ctx: Context, exchange: Routed, work: () => Promise<T>): Promise<T> {
  const found = exchange.found!;
  if (!isAudited(found)) return work();
  const entry = newEntry(ctx.config, exchange, found);
  const begun = ctx.audit.store(entry).catch(asFault);
  const done = await work().then(
    async (reply) => ({ reply, ended: { status: found.row.code, ...(await shownBy(ctx, found, reply)) } }),
    (error) => ({ error, ended: { status: answerTo(error).status } }),
  );
  ctx.audit.storeSoon({ ...entry, ...done.ended });
  const fault = await begun;
  if (fault) throw fault;
  if ("reply" in done) return done.reply;
  throw done.error;
}

/** Entries a minute for requests whose token is not valid: strangers must not be able to fill the log. */
const maxStrangers = fixedLimit({
  max: 60,
  about: "entries of the audit log about invalid tokens, per minute",
  effect: "further requests have no entry",
});
const minuteMs = 60_000;

/**
 * Returns a function that stores the entry of a request that was refused before its work began. Requests without a
 * token and those beyond a rate limit have no entry.
 */
export function refusals(ctx: Context, now: () => number = Date.now) {
  let minute = 0;
  let strangers = 0;
  const isOneTooMany = () => {
    const current = Math.floor(now() / minuteMs);
    if (current !== minute) strangers = 0;
    minute = current;
    return ++strangers > maxStrangers;
  };
  return async (exchange: Routed, error: unknown): Promise<void> => {
    const { found, session, request } = exchange;
    const { status } = answerTo(error);
    if (!found || !isAudited(found) || status === 429) return;
    if (!session && (status !== 401 || request.headers.authorization === undefined || isOneTooMany())) return;
    await ctx.audit.store({ ...newEntry(ctx.config, exchange, found), status });
  };
}
