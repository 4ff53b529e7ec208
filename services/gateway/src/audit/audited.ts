import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { asFault } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { answerTo } from "../http/answer.js";
import type { Found } from "../http/match.js";
import type { Routed } from "../http/routed.js";
import { newEntry, shownBy } from "./entry.js";

/** Reports whether the requests of a row are recorded: users' requests that may change something. */
const isAudited = ({ row: { action, permission } }: Found): boolean =>
  action.changes !== undefined && (permission !== "none" || action.signsIn === true);

/**
 * Does the work of a request while its entry is being stored, and returns when both are done. So no change is answered
 * without an entry. The outcome follows within milliseconds.
 */
export async function audited<T>(ctx: Context, exchange: Routed, work: () => Promise<T>): Promise<T> {
  const found = exchange.found!;
  if (!isAudited(found)) return work();
  if (found.row.action.signsIn) return signedIn(ctx, exchange, found, work);
  if (found.row.action.carriesEntry) return carried(ctx, exchange, found, work);
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

/** The service stores the entry with the change. The gateway stores it if the change fails, or if the service is older. */
async function carried<T>(ctx: Context, exchange: Routed, found: Found, work: () => Promise<T>): Promise<T> {
  const { code: status } = found.row;
  const entry = newEntry(ctx.config, exchange, found);
  exchange.entry = { ...entry, status };
  const reply = await work().catch(async (error) => {
    await ctx.audit.store({ ...entry, status: answerTo(error).status });
    throw error;
  });
  const ended = { ...exchange.entry, ...(await shownBy(ctx, found, reply)) };
  if (exchange.recorded) ctx.log.info({ audit: ended }, "audit");
  else await ctx.audit.store(ended);
  return reply;
}

/** Only a sign-in that has succeeded has a user. If it cannot be recorded, it fails. */
async function signedIn<T>(ctx: Context, exchange: Routed, found: Found, work: () => Promise<T>): Promise<T> {
  const reply = await work();
  await ctx.audit.store({ ...newEntry(ctx.config, exchange, found), status: found.row.code });
  return reply;
}

/** Entries a minute for requests whose token is not valid: strangers must not be able to fill the log. */
const maxStrangers = fixedLimit({
  max: 60,
  about: "entries of the audit log about invalid tokens, per minute",
  effect: "further requests have no entry",
});
const minuteMs = 60_000;

/** Stores the entry of a refused request. */
export type Refusals = (exchange: Routed, error: unknown) => Promise<void>;

/** Reports whether a request has shown a token, a session or a sign-in link. */
const showsSecret = ({ request: { headers }, found }: Routed): boolean =>
  headers.authorization !== undefined || headers.cookie !== undefined || found?.row.action.signsIn === true;

/**
 * Returns a function that stores the entry of a request that was refused before its work began. Requests without a
 * token and those beyond a rate limit have no entry.
 */
export function refusals(ctx: Context, now: () => number = Date.now): Refusals {
  let minute = 0;
  let strangers = 0;
  const isOneTooMany = () => {
    const current = Math.floor(now() / minuteMs);
    if (current !== minute) strangers = 0;
    minute = current;
    return ++strangers > maxStrangers;
  };
  return async (exchange: Routed, error: unknown): Promise<void> => {
    const { found, session } = exchange;
    const { status } = answerTo(error);
    if (!found || !isAudited(found) || status === 429) return;
    if (!session && (status !== 401 || !showsSecret(exchange) || isOneTooMany())) return;
    await ctx.audit.store({ ...newEntry(ctx.config, exchange, found), status });
  };
}
