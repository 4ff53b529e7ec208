import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { guardedFetch } from "@ci/kit/net/guarded-fetch";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Context } from "../../context.js";
import { type ApiResponse, isRateLimited } from "../../domain/hooks/provider-api.js";
import { disconnected } from "../../domain/hooks/reasons.js";
import { statusRequest, verdictOf, verdictOfAll } from "../../domain/hooks/status.js";
import type { BuiltDelivery, HookDelivery, StepResult } from "../../store/hooks/hook-deliveries.js";
import type { RepositoryDoc } from "../../store/repositories.js";
import type { HookedRepository } from "./provider-hooks.js";
import { tokenOf } from "./read-commit.js";

/** How often to check a delivery's builds, in case the event about their end was lost. */
const checkEveryMs = 60_000;
const maxCheckMs = 24 * 60 * 60_000;
const maxBodyBytes = fixedLimit({
  max: 4_096,
  unit: "bytes",
  about: "provider's response to a commit status",
  effect: "the rest is not read",
});

async function urlOf(ctx: Context, build: { userId: number; number: number } | undefined): Promise<string | undefined> {
  if (!build) return undefined;
  const { username } = await ctx.submitter(build.userId);
  return `${ctx.config.publicUrl}/b/${encodeURIComponent(username)}/${build.number}`;
}

/** Reports whether the provider would refuse further attempts too. A 409 is GitLab's lock. */
const isRefusal = (response: ApiResponse): boolean => {
  const { status } = response;
  return status >= 400 && status < 500 && status !== 408 && status !== 409 && !isRateLimited(response);
};

/** Returns false if the provider refused the status. */
async function post(ctx: Context, repositoryId: number, request: ReturnType<typeof statusRequest>): Promise<boolean> {
  const { url, headers, body } = request;
  const { hookTimeoutMs: timeoutMs } = ctx.config;
  const limits = { timeoutMs, maxBodyBytes, signal: ctx.signal };
  const response = await guardedFetch(ctx.agent, url, { method: "POST", headers, body, ...limits });
  const { status } = response;
  const isRefused = isRefusal(response);
  if (isRefused) ctx.log.warn({ repository: repositoryId, status }, "provider refused a commit status");
  else if (status < 200 || status > 299) throw new FetchFailed(`unexpected status ${status}`);
  return !isRefused;
}

/**
 * Replaces the pending status of a commit whose repository is gone. Then other repositories at its URL report the
 * commit's status again. Throws if it has to be retried.
 */
export async function reportDisconnected(
  ctx: Context,
  { _id, provider, url: cloneUrl }: HookedRepository,
  sha: string,
  accessToken: string,
): Promise<void> {
  const { hookDeliveries: deliveries, repositories } = ctx;
  const status = { provider, cloneUrl, sha, verdict: "error", complaint: disconnected, accessToken } as const;
  if (!(await post(ctx, _id, statusRequest(status)))) return;
  for (const id of await repositories.reportingAt(cloneUrl)) {
    const [newest] = await deliveries.ofCommit(id, sha);
    if (newest) await deliveries.reportAgain(newest._id);
  }
  ctx.wakeDeliveries();
}

/** Returns the pause before a pending delivery is checked again. It grows with age: some builds never end. */
export const nextCheckMs = ({ createdAt }: Pick<HookDelivery, "createdAt">, now: Date): number =>
  Math.min(maxCheckMs, Math.max(checkEveryMs, (now.getTime() - createdAt.getTime()) / 100));

/** Returns the outcome of all deliveries about the commit, and whether this delivery has to report when it changes. */
export async function currentVerdict(ctx: Context, { _id, repositoryId, sha }: HookDelivery) {
  const deliveries = await ctx.hookDeliveries.ofCommit(repositoryId, sha!);
  const pending = deliveries.filter(({ builds, wrong = false }) => verdictOf(builds, wrong)?.verdict === "pending");
  const all = verdictOfAll(deliveries);
  return all && { ...all, isWatching: pending.some((one) => one._id === _id || !one.dueAt) };
}

/** Only a new access token can replace a pending status. It may come as long as the delivery is kept. */
const waitsForToken = ({ config, now }: Context, { reported, createdAt }: HookDelivery): boolean =>
  reported === "pending" && now().getTime() - createdAt.getTime() < config.hookLogMs;

/**
 * Reports a changed status of the commit to the provider and returns what to store. Each delivery reports what its own
 * builds change: while they run, the status is pending. Throws if it has to be retried.
 */
export async function reportStatus(
  ctx: Context,
  repository: RepositoryDoc,
  delivery: BuiltDelivery,
): Promise<Partial<StepResult>> {
  const accessToken = tokenOf(ctx, repository);
  if (!accessToken && waitsForToken(ctx, delivery)) return { dueInMs: nextCheckMs(delivery, ctx.now()) };
  const now = await currentVerdict(ctx, delivery);
  if (!accessToken || !now) return { dueInMs: "never" };
  const { verdict, build, complaint, isWatching } = now;
  const isNew = verdict !== delivery.reported;
  if (isNew) {
    const { provider, url: cloneUrl, _id } = repository;
    const targetUrl = await urlOf(ctx, build);
    const sha = delivery.sha!;
    const status = { provider, cloneUrl, sha, verdict, targetUrl, accessToken };
    await post(ctx, _id, statusRequest({ ...status, complaint }));
  }
  if (isWatching) return { reported: verdict, dueInMs: nextCheckMs(delivery, ctx.now()) };
  // Another delivery may have reported a newer verdict before this one arrived.
  const isOutdated = isNew && (await currentVerdict(ctx, delivery))?.verdict !== verdict;
  return { reported: verdict, dueInMs: isOutdated ? 0 : "never" };
}
