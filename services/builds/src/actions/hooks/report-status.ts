import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { guardedFetch } from "@ci/kit/net/guarded-fetch";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Context } from "../../context.js";
import { isRateLimited } from "../../domain/hooks/provider-api.js";
import { statusRequest, verdictOf } from "../../domain/hooks/status.js";
import type { BuiltDelivery, HookDelivery, StepResult } from "../../store/hook-deliveries.js";
import type { RepositoryDoc } from "../../store/repositories.js";
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

/** Reports whether the provider would refuse further attempts too. */
const isRefusal = (status: number, headers: Readonly<Record<string, string>>): boolean =>
  status >= 400 && status < 500 && status !== 408 && !isRateLimited(status, headers);

async function post(ctx: Context, repositoryId: number, request: ReturnType<typeof statusRequest>): Promise<void> {
  const { url, headers, body } = request;
  const { hookTimeoutMs: timeoutMs } = ctx.config;
  const limits = { timeoutMs, maxBodyBytes, signal: ctx.signal };
  const { status, headers: answered } = await guardedFetch(ctx.agent, url, {
    method: "POST",
    headers,
    body,
    ...limits,
  });
  if (isRefusal(status, answered))
    ctx.log.warn({ repository: repositoryId, status }, "provider refused a commit status");
  else if (status < 200 || status > 299) throw new FetchFailed(`unexpected status ${status}`);
}

/** Returns the pause before a pending delivery is checked again. It grows with age: some builds never end. */
export const nextCheckMs = ({ createdAt }: Pick<HookDelivery, "createdAt">, now: Date): number =>
  Math.min(maxCheckMs, Math.max(checkEveryMs, (now.getTime() - createdAt.getTime()) / 100));

export const currentVerdict = async (ctx: Context, { _id, wrong = false }: HookDelivery) =>
  verdictOf(await ctx.builds.ofDelivery(_id), wrong);

/** Reports a changed status to the provider and returns what to store. Throws if it has to be retried. */
export async function reportStatus(
  ctx: Context,
  repository: RepositoryDoc,
  delivery: BuiltDelivery,
): Promise<Partial<StepResult>> {
  const accessToken = tokenOf(ctx, repository);
  const now = await currentVerdict(ctx, delivery);
  if (!accessToken || !now) return { dueInMs: "never" };
  const { verdict, build } = now;
  if (verdict !== delivery.reported) {
    const { provider, url: cloneUrl, _id } = repository;
    const targetUrl = await urlOf(ctx, build);
    const sha = delivery.sha!;
    const status = { provider, cloneUrl, sha, verdict, targetUrl, accessToken };
    const complaint = delivery.wrong ? delivery.reasons?.[0] : undefined;
    await post(ctx, _id, statusRequest({ ...status, complaint }));
  }
  return { reported: verdict, dueInMs: verdict === "pending" ? nextCheckMs(delivery, ctx.now()) : "never" };
}
