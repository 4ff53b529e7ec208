import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { guardedFetch } from "@ci/kit/net/guarded-fetch";
import type { Context } from "../context.js";
import { statusRequest, verdictOf } from "../domain/hooks/status.js";
import type { Done, HookDelivery } from "../store/hook-deliveries.js";
import type { RepositoryDoc } from "../store/repositories.js";
import { tokenOf } from "./build-commit.js";

/** How often the builds of a delivery are looked at, should the news of their end have been lost. */
const lookEveryMs = 60_000;
const mostBodyBytes = 4_096;

async function urlOf(ctx: Context, build: { userId: number; number: number } | undefined): Promise<string | undefined> {
  if (!build) return undefined;
  const { username } = await ctx.submitter(build.userId);
  return `${ctx.config.publicUrl}/b/${encodeURIComponent(username)}/${build.number}`;
}

/** Answers that another attempt would not change. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

/** Posts a status through the guard. Throws when that may go better another time. */
async function post(ctx: Context, repositoryId: number, asked: ReturnType<typeof statusRequest>): Promise<void> {
  const { url, headers, body } = asked;
  const { hookTimeoutMs: timeoutMs } = ctx.config;
  const limits = { timeoutMs, maxBodyBytes: mostBodyBytes, signal: ctx.signal };
  const { status } = await guardedFetch(ctx.agent, url, { method: "POST", headers, body, ...limits });
  if (isRefusal(status)) ctx.log.warn({ repository: repositoryId, status }, "commit status refused");
  else if (status < 200 || status > 299) throw new FetchFailed(`unexpected status ${status}`);
}

/** What the builds of a delivery mean now. */
export const verdictNow = async (ctx: Context, { _id, wrong = false }: HookDelivery) =>
  verdictOf(await ctx.builds.ofDelivery(_id), wrong);

/**
 * Tells the provider what has become of a commit, unless that is what it was told last. Answers what to write down:
 * when to look again, if the end is not reached. Throws when it has to be tried again.
 */
export async function reportStatus(
  ctx: Context,
  repository: RepositoryDoc,
  delivery: HookDelivery,
): Promise<Partial<Done>> {
  const accessToken = tokenOf(ctx, repository);
  const now = await verdictNow(ctx, delivery);
  if (!accessToken || !now) return { dueInMs: "never" };
  const { verdict, build } = now;
  if (verdict !== delivery.reported) {
    const { provider, url: cloneUrl, _id } = repository;
    const targetUrl = await urlOf(ctx, build);
    const { repoId } = delivery.change;
    const sha = delivery.sha!;
    await post(ctx, _id, statusRequest({ provider, cloneUrl, repoId, sha, verdict, targetUrl, accessToken }));
  }
  const isOver = verdict !== "pending";
  return { reported: verdict, dueInMs: isOver ? "never" : lookEveryMs };
}
