import { Fault, invalid, notFound } from "@ci/kit/rpc/fault";
import { complain } from "@ci/kit/rpc/validated";
import type { Manifest } from "@ci/manifest/manifest";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../../context.js";
import { type CronDoc, manualRunComment, runComment, runTag } from "../../domain/cron.js";
import { requireSubmitter } from "../find-owners.js";
import { buildLimits, messagesOf } from "../manifest/check-manifest.js";
import { manifests } from "../manifest/read-manifest.js";
import { narrowed } from "../manifest/when.js";
import type { Draft } from "../submit/estimate-sizes.js";
import { type QueuedBuild, queueInTurn } from "../submit/queue-builds.js";
import { readInputs } from "../submit/read-inputs.js";
import { requireKeeper } from "./cron-keeper.js";

async function readScheduled({ config }: Context, { userId, manifest }: CronDoc): Promise<Manifest> {
  const read = await manifests.read(userId, manifest, buildLimits(config, true));
  if (!("manifest" in read)) throw invalid({ manifest: messagesOf(read.complaints) });
  return read.manifest;
}

/** The user who starts a run before it is due, and what their request carries. */
export interface Starter {
  readonly id: number;
  readonly username: string;
  readonly idempotency?: Draft["idempotency"];
  readonly cause?: Draft["cause"];
}

async function enterAgain(ctx: Context, { _id, manifest, userId, namespaceId }: CronDoc, starter?: Starter) {
  const doc = await ctx.crons.get(_id);
  if (!doc) throw notFound();
  if (starter && (doc.manifest !== manifest || doc.namespaceId !== namespaceId))
    throw new Fault("conflict", "The cron job has changed");
  await requireKeeper(ctx, doc);
  return requireSubmitter(ctx, starter?.id ?? userId, namespaceId);
}

/** Throws `invalid` with every complaint, and a duplicate key error if this run already has its build. */
export async function submitRun(
  ctx: Context,
  doc: CronDoc,
  namespace: Namespace | undefined,
  starter?: Starter,
): Promise<QueuedBuild> {
  const { userId } = doc;
  const { manifest, leftOut } = await narrowed(await readScheduled(ctx, doc), { event: "schedule" });
  const run = { cronId: doc._id, dueAt: starter ? undefined : doc.nextRun };
  const what: Draft = {
    text: doc.manifest,
    manifest,
    leftOut,
    tags: [runTag(doc.name, ctx.config.tagLength)],
    userId,
    namespace,
    run,
    actorId: starter?.id,
    idempotency: starter?.idempotency,
    cause: starter ? starter.cause : { actor: "cron", origin: `/cron/${doc._id}` },
    trigger: ({ email, username }, at) => ({
      type: "schedule",
      comment: starter ? manualRunComment(doc, starter.username) : runComment(doc, at),
      data: { email, username, ...(starter && { run_by: starter.username }) },
    }),
  };
  const { complaints, ...read } = await readInputs(ctx, what);
  complain(complaints);
  return queueInTurn(ctx, what, read, async (waited) =>
    waited || starter ? enterAgain(ctx, doc, starter) : namespace,
  );
}
