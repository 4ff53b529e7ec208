import { nextId, nextIds } from "@ci/kit/mongo/ids";
import { addLogFields } from "@ci/kit/process/log";
import { trail } from "@ci/kit/rpc/caller";
import { invalid } from "@ci/kit/rpc/fault";
import { complain, type Validation } from "@ci/kit/rpc/validated";
import { encrypt } from "@ci/kit/security/secrets";
import type { Complaint } from "@ci/manifest/complaints";
import type { Manifest } from "@ci/manifest/manifest";
import type { Build, QueuePlace, Trigger } from "@ci/proto/builds/v1/builds";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import { toBuild } from "../domain/change.js";
import { type CronDoc, runComment, runTag } from "../domain/cron.js";
import { idsOf, idsOfInputs, newBuild, type Submission } from "../domain/new-build.js";
import { type Origin, withOrigin } from "../domain/origin.js";
import { submittedTags } from "../domain/tags.js";
import { buildLimits, checkManifest, enterDestination, messagesOf } from "./check-manifest.js";
import { readInputs } from "./read-inputs.js";
import { manifests } from "./read-manifest.js";
import type { Submitter } from "./submitters.js";
import { type Narrowed, narrowed, type Occasion, reasonAgainst, withoutJobs } from "./when.js";

export interface BuildRequest {
  readonly text: string;
  readonly tags: readonly string[];
  readonly userId: number;
  readonly trigger: (user: Submitter) => Trigger;
  /** The manifest is that of an earlier build or cron job, and read as it was then. */
  readonly isStored?: boolean;
  /** For a restart: the jobs that the earlier build left out. Otherwise their `when` decides. */
  readonly leftOut?: readonly number[];
}

/** A commit makes no build of a manifest, for a reason that is no mistake. */
export class Unwanted extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** Leaves out the jobs that are not for this occasion, or those that the earlier build left out. */
const selectJobs = async (manifest: Manifest, { leftOut }: Pick<BuildRequest, "leftOut">, occasion: Occasion) =>
  leftOut ? withoutJobs(manifest, leftOut) : narrowed(manifest, occasion);

/** What to queue, once every check has passed. */
type BuildOrder = Omit<Submission, "trigger" | "place" | "trail"> & {
  readonly trigger: (user: Submitter, at: Date) => Trigger;
};

interface QueuedBuild {
  readonly doc: BuildDoc;
  readonly place: QueuePlace;
}

/** Returns the queued build for its submitter. */
export const toQueuedBuild = ({ doc, place }: QueuedBuild): Build => ({ ...toBuild(doc), queue: place });

async function queue(ctx: Context, order: BuildOrder): Promise<QueuedBuild> {
  const { manifest, tags, userId, inputs, awaitsApproval } = order;
  const [submitter, number, ids, places] = await Promise.all([
    ctx.submitter(userId),
    nextId(ctx.db, `builds/${userId}`),
    nextIds(ctx.db, "ids", { ...idsOf(manifest, tags), ...idsOfInputs(manifest, inputs) }),
    ctx.places.of([
      { userId, rootId: order.namespace?.rootId, driver: manifest.driver, awaitsApproval: awaitsApproval || undefined },
    ]),
  ]);
  const place = places[0]!;
  const at = ctx.now();
  addLogFields({ build: ids.build });
  const submission = { ...order, trigger: order.trigger(submitter, at), place, trail: trail() };
  const doc = newBuild(submission, ids, number, at, (value, kind, id) =>
    encrypt(ctx.config.keyring, value, { kind, id }),
  );
  await ctx.builds.insert(doc);
  ctx.places.queued(doc);
  ctx.deletions.created(doc);
  if (!doc.awaitsApproval) await offer(ctx, doc);
  return { doc, place };
}

/** Lets runners claim a queued build. If the process dies before this, a loop does it. */
export async function offer(ctx: Pick<Context, "line" | "bus">, { driver, userId }: BuildDoc): Promise<void> {
  await ctx.line.join(driver.type, [userId]);
  ctx.bus.nudge(`queue.${driver.type}`);
}

type Draft = Pick<BuildRequest, "text" | "tags" | "userId" | "isStored">;

/** Reads a request for a build. Returns its valid parts and every complaint; makes nothing. */
async function readDraft(ctx: Context, { text, userId, isStored, tags }: Draft) {
  const checked = await checkManifest(ctx, text, userId, { acceptedDrivers: ctx.config.drivers, isStored });
  const { names, complaints: aboutTags } = submittedTags(tags, ctx.config);
  const { manifest, destination } = checked;
  // A namespace that does not exist yet has no inputs of its own.
  const read =
    manifest && destination && (await readInputs(ctx, { userId, namespace: destination.namespace, manifest }));
  const aboutInputs = (read?.complaints ?? []).map((message) => ({ message }));
  return {
    manifest,
    destination,
    names,
    inputs: read?.inputs,
    aboutManifest: [...checked.complaints, ...aboutInputs],
    aboutTags,
  };
}

/** Returns every complaint about a request for a build, and its manifest if that can be read. */
export async function checkDraft(
  ctx: Context,
  draft: Draft,
): Promise<{ complaints: readonly Complaint[]; manifest?: Manifest }> {
  const { aboutManifest, aboutTags, manifest } = await readDraft(ctx, draft);
  return { complaints: [...aboutManifest, ...aboutTags.map((message) => ({ message }))], manifest };
}

/** Checks a request for a build. Its change creates missing namespaces and queues the build. */
export async function prepareBuild(ctx: Context, request: BuildRequest): Promise<Validation<Build>> {
  const { text, userId, trigger } = request;
  const { manifest, destination, names: tags, inputs, aboutManifest, aboutTags } = await readDraft(ctx, request);
  return {
    complaints: { manifest: messagesOf(aboutManifest), tags: aboutTags },
    async change() {
      const namespace = await enterDestination(ctx, userId, destination!);
      const what = { text, ...(await selectJobs(manifest!, request, { event: "manual" })), inputs: inputs!, tags };
      return toQueuedBuild(await queue(ctx, { ...what, userId, actorId: userId, namespace, trigger }));
    },
  };
}

async function readScheduled({ config }: Context, { userId, manifest }: CronDoc): Promise<Manifest> {
  const read = await manifests.read(userId, manifest, buildLimits(config, true));
  if (!("manifest" in read)) throw invalid({ manifest: messagesOf(read.complaints) });
  return read.manifest;
}

/** Throws `invalid` with every complaint, and a duplicate key error if this run already has its build. */
export async function submitRun(ctx: Context, doc: CronDoc, namespace: Namespace | undefined): Promise<BuildDoc> {
  const { userId } = doc;
  const { manifest, leftOut } = await narrowed(await readScheduled(ctx, doc), { event: "schedule" });
  const run = { cronId: doc._id, dueAt: doc.nextRun };
  const { inputs, complaints } = await readInputs(ctx, { userId, namespace, manifest, run });
  complain({ manifest: complaints });
  const { doc: build } = await queue(ctx, {
    text: doc.manifest,
    manifest,
    leftOut,
    inputs,
    tags: [runTag(doc.name, ctx.config.tagLength)],
    userId,
    namespace,
    run,
    trigger: ({ email, username }, at) => ({
      type: "schedule",
      comment: runComment(doc, at),
      data: { email, username },
    }),
  });
  return build;
}

/** A request to build a commit in the given namespace, whichever one its manifest names. */
export interface CommitRequest extends BuildRequest {
  readonly origin: Origin;
  readonly namespace?: Namespace;
  readonly actorId?: number;
  /** Absent for a restart. */
  readonly occasion?: Occasion;
  readonly awaitsApproval?: boolean;
}

async function selectForCommit(
  manifest: Manifest,
  { occasion, leftOut = [] }: Pick<CommitRequest, "occasion" | "leftOut">,
): Promise<Narrowed> {
  if (!occasion) return withoutJobs(manifest, leftOut);
  const reason = await reasonAgainst(manifest, occasion);
  if (reason) throw new Unwanted(reason);
  return narrowed(manifest, occasion);
}

/**
 * Throws `invalid` with every complaint, Unwanted if the manifest is not for this occasion, and a duplicate key error if the
 * delivery already has this build.
 */
export async function submitCommit(ctx: Context, { tags, ...request }: CommitRequest): Promise<QueuedBuild> {
  const limits = buildLimits(ctx.config, request.isStored);
  const read = await manifests.read(request.userId, request.text, limits);
  const { names, complaints } = submittedTags(tags, ctx.config);
  complain({ manifest: "manifest" in read ? [] : messagesOf(read.complaints), tags: complaints });
  const { manifest: wanted, leftOut } = await selectForCommit((read as { manifest: Manifest }).manifest, request);
  const manifest = withOrigin(wanted, request.origin);
  const found = await readInputs(ctx, { ...request, manifest });
  complain({ manifest: found.complaints });
  return queue(ctx, { ...request, tags: names, manifest, leftOut, inputs: found.inputs });
}
