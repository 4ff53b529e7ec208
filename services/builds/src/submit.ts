import { nextId, nextIds } from "@ci/kit/mongo/ids";
import { addLogFields } from "@ci/kit/process/log";
import { trail } from "@ci/kit/rpc/caller";
import { invalid } from "@ci/kit/rpc/fault";
import { refuse } from "@ci/kit/rpc/refuse";
import { encrypt } from "@ci/kit/security/secrets";
import type { Build, QueuePlace, Trigger } from "@ci/proto/builds/v1/builds";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { type Checked, checkManifest, enter, manifestLimits } from "./check.js";
import type { Context } from "./context.js";
import type { BuildDoc } from "./domain/build.js";
import { toBuild } from "./domain/change.js";
import { type CronDoc, runComment, runTag } from "./domain/cron.js";
import { type Manifest, readManifest } from "./domain/manifest.js";
import { idsOf, idsOfInputs, newBuild, type Submission } from "./domain/new-build.js";
import { type Origin, withOrigin } from "./domain/origin.js";
import { submittedTags } from "./domain/tags.js";
import type { Submitter } from "./submitters.js";

/** Somebody's wish for a build. */
export interface Wish {
  readonly text: string;
  readonly tags: readonly string[];
  readonly userId: number;
  readonly trigger: (user: Submitter) => Trigger;
}

/** A build to be made, once every check has passed. */
type Order = Omit<Submission, "trigger" | "inputs" | "place" | "trail"> & {
  readonly trigger: (user: Submitter, at: Date) => Trigger;
};

/** Every rule about a submission; all complaints come in one answer. */
async function check(ctx: Context, wish: Wish) {
  const checked = await checkManifest(ctx, wish.text, wish.userId, ctx.config.drivers);
  const tags = submittedTags(wish.tags, ctx.config);
  refuse({ manifest: checked.complaints, tags: tags.complaints });
  // What could not be read has been refused.
  const { manifest, destination } = checked as Required<Checked>;
  return { manifest, tags: tags.names, destination };
}

/**
 * What is copied into the build. Every member may edit a cron job, so in a namespace it gets nothing of its user's;
 * what strangers wrote gets nothing at all.
 */
function inputsOf({ inputs }: Context, { userId, namespace, manifest, run, origin }: Order) {
  if (origin?.bare) return { variables: [], keys: [], objects: [] };
  return inputs.getBuildInputs({
    userId: run && namespace ? undefined : userId,
    namespaceId: namespace?.id,
    objectNames: manifest.objects.map((object) => object.source),
  });
}

/** A build that has just been queued. */
interface Queued {
  readonly doc: BuildDoc;
  readonly place: QueuePlace;
}

/** It, as its submitter is shown it. */
export const submitted = ({ doc, place }: Queued): Build => ({ ...toBuild(doc), queue: place });

async function queue(ctx: Context, order: Order): Promise<Queued> {
  const { manifest, tags, userId } = order;
  const [inputs, submitter, number, ids, places] = await Promise.all([
    inputsOf(ctx, order),
    ctx.submitter(userId),
    nextId(ctx.db, `builds/${userId}`),
    nextIds(ctx.db, "ids", idsOf(manifest, tags)),
    ctx.places.of([{ userId, rootId: order.namespace?.rootId, driver: manifest.driver }]),
  ]);
  const place = places[0]!;
  const moreIds = await nextIds(ctx.db, "ids", idsOfInputs(manifest, inputs));
  const at = ctx.now();
  addLogFields({ build: ids.build });
  const submission = { ...order, trigger: order.trigger(submitter, at), inputs, place, trail: trail() };
  const doc = newBuild(submission, { ...ids, ...moreIds }, number, at, (value, kind, id) =>
    encrypt(ctx.config.keyring, value, { kind, id }),
  );
  await ctx.builds.insert(doc);
  ctx.deletions.created(doc);
  await ctx.line.join(doc.driver.type, [doc.userId]);
  ctx.bus.nudge(`queue.${doc.driver.type}`);
  return { doc, place };
}

/** Checks a wish and queues the build. Fault `invalid` names every mistake. */
export async function submit(ctx: Context, wish: Wish): Promise<Build> {
  const { manifest, tags, destination } = await check(ctx, wish);
  const { text, userId, trigger } = wish;
  const namespace = await enter(ctx, userId, destination);
  return submitted(await queue(ctx, { text, manifest, tags, userId, actorId: userId, namespace, trigger }));
}

/** The manifest of a cron job, whose user owns the namespace that it names. Fault `invalid` names every mistake. */
function readScheduled({ config }: Context, text: string): Manifest {
  const read = readManifest(text, { ...manifestLimits(config), acceptedDrivers: config.drivers });
  if (!("manifest" in read)) throw invalid({ manifest: read.complaints });
  return read.manifest;
}

/**
 * Checks the manifest of a cron job and queues the build of its due run, in the namespace it is kept in.
 * Fault `invalid` names every mistake; throws a duplicate key when this run has made its build before.
 */
export async function submitRun(ctx: Context, doc: CronDoc, namespace: Namespace | undefined): Promise<BuildDoc> {
  const { doc: build } = await queue(ctx, {
    text: doc.manifest,
    manifest: readScheduled(ctx, doc.manifest),
    tags: [runTag(doc.name, ctx.config.tagLength)],
    userId: doc.userId,
    namespace,
    run: { cronId: doc._id, dueAt: doc.nextRun },
    trigger: ({ email, username }, at) => ({
      type: "schedule",
      comment: runComment(doc, at),
      data: { email, username },
    }),
  });
  return build;
}

/** A wish for a build of a commit, which goes to a known place, whatever namespace its manifest names. */
export interface CommitWish extends Wish {
  readonly origin: Origin;
  readonly namespace?: Namespace;
  /** Who acted; absent for acts of the service. */
  readonly actorId?: number;
}

/**
 * Checks the manifest of a commit and queues its build. Fault `invalid` names every mistake; throws a duplicate key
 * when the delivery that it comes from has made this build before.
 */
export async function submitCommit(ctx: Context, { tags, ...wish }: CommitWish): Promise<Queued> {
  const read = readManifest(wish.text, { ...manifestLimits(ctx.config), acceptedDrivers: ctx.config.drivers });
  const { names, complaints } = submittedTags(tags, ctx.config);
  refuse({ manifest: "manifest" in read ? [] : read.complaints, tags: complaints });
  const { manifest } = read as { manifest: Manifest };
  return queue(ctx, { ...wish, tags: names, manifest: withOrigin(manifest, wish.origin) });
}
