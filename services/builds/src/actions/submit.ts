import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { nextId, nextIds, nextNumber } from "@ci/kit/mongo/ids";
import { addLogFields } from "@ci/kit/process/log";
import { trail } from "@ci/kit/rpc/caller";
import { carryOut, complain, type Validation } from "@ci/kit/rpc/validated";
import { encrypt } from "@ci/kit/security/secrets";
import type { Complaint } from "@ci/manifest/complaints";
import type { Manifest } from "@ci/manifest/manifest";
import type { Axes } from "@ci/manifest/matrix";
import type { Build, QueuePlace, Trigger } from "@ci/proto/builds/v1/builds";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import type { Destination } from "../domain/cron.js";
import { type Cause, entryOf } from "../domain/entry.js";
import { inGroup, type Member, membersOf } from "../domain/group.js";
import { type Unapproved, unapprovedComplaints } from "../domain/hooks/unapproved.js";
import { concurrencyOf, type Encrypt, idsOf, idsOfInputs, newBuild, type Submission } from "../domain/new-build.js";
import { type Origin, withOrigin } from "../domain/origin.js";
import { type Parameter, parameterComplaints } from "../domain/parameters.js";
import { toBuild } from "../domain/shown-build.js";
import { submittedTags } from "../domain/tags.js";
import { inBuildingTurn } from "./building-turns.js";
import { requireSubmitter } from "./find-owners.js";
import { buildLimits, checkManifest, enterDestination, messagesOf } from "./manifest/check-manifest.js";
import type { Draft } from "./manifest/estimate-sizes.js";
import { manifests } from "./manifest/read-manifest.js";
import { type Narrowed, narrowed, type Occasion, reasonAgainst, withoutJobs } from "./manifest/when.js";
import { ownTask } from "./own-task.js";
import { type BuildInputs, readAllInputs, readInputs } from "./read-inputs.js";
import type { Submitter } from "./submitters.js";
import { waitFor } from "./wait-for.js";

export interface BuildRequest {
  readonly text: string;
  readonly tags: readonly string[];
  readonly userId: number;
  /** Absent if the request that makes the builds has an entry of the audit log already. */
  readonly cause?: Cause | undefined;
  readonly trigger: (user: Submitter) => Trigger;
  /** The manifest is that of an earlier build or cron job, and read as it was then. */
  readonly isStored?: boolean;
  readonly parameters?: readonly Parameter[];
  /** For a restart: the jobs that the earlier build left out. Otherwise their `when` decides. */
  readonly leftOut?: readonly number[];
  /** The combination of the matrix to build; all of them if absent. */
  readonly axes?: Axes;
  /** Fires when nobody will hear of the builds. Those that are not stored by then never are. */
  readonly signal?: AbortSignal;
  readonly idempotency?: Submission["idempotency"];
  /** For a restart: where the builds go, whichever namespace the manifest names. */
  readonly destination?: Pick<Destination, "namespace">;
}

/** A commit makes no build of a manifest, for a reason that is no mistake of the manifest. */
export class Unwanted extends Error {
  constructor(
    readonly reason: string,
    readonly wrong = false,
  ) {
    super(reason);
  }
}

/** What to queue, once every check has passed. */
type BuildOrder = Draft & Pick<Submission, "inputs"> & Pick<BuildRequest, "signal">;

export const manualTrigger =
  (comment: string) =>
  ({ email, username }: Submitter): Trigger => ({ type: "manual", comment, data: { email, username } });

export interface QueuedBuild {
  readonly doc: BuildDoc;
  readonly place: QueuePlace;
}

export const toQueuedBuild = ({ doc, place }: QueuedBuild): Build => ({ ...toBuild(doc), queue: place });

/** Shorter than the 1.5 s after which a call may be given up because MongoDB does not respond. */
const announceMs = 1_000;

/** Queues all builds of a manifest in one write. Returns the first. */
async function queue(ctx: Context, order: BuildOrder): Promise<QueuedBuild> {
  try {
    return await tryQueue(ctx, order);
  } catch (error) {
    // After a crash MongoDB may give a number again, and another build may be stored with it first.
    if (!isNumberTaken(error)) throw error;
    return queue(ctx, order);
  }
}

const isNumberTaken = (error: unknown): boolean =>
  duplicateKey(error) && Object.keys(error.keyPattern ?? {}).join() === "userId,number";

async function tryQueue(ctx: Context, order: BuildOrder): Promise<QueuedBuild> {
  const { tags, userId, inputs, parameters = [], namespace, awaitsApproval, cause } = order;
  const members = membersOf(order.manifest, order.axes);
  const size = members.length;
  const idsFor = ({ manifest }: Member) =>
    nextIds(ctx.db, "ids", { ...idsOf(manifest, tags), ...idsOfInputs(manifest, inputs, parameters) });
  const concurrency = concurrencyOf(order);
  const placing = { userId, rootId: namespace?.rootId, awaitsApproval: awaitsApproval || undefined, concurrency };
  const [submitter, owner, number, ids, places] = await Promise.all([
    ctx.submitter(userId),
    namespace && ctx.submitter(namespace.userId),
    // The builds of a matrix get consecutive numbers, unless MongoDB crashes in between.
    (size > 1 ? nextId : nextNumber)(ctx.db, `builds/${userId}`, size),
    Promise.all(members.map(idsFor)),
    ctx.places.of(members.map(({ manifest }) => ({ ...placing, driver: manifest.driver }))),
  ]);
  const at = ctx.now();
  const id = ids[0]!.build;
  addLogFields({ build: id });
  const trigger = order.trigger(submitter, at);
  const { username } = submitter;
  const entered = namespace && { path: namespace.path, owner: owner!.username };
  const common = { ...order, trigger, trail: trail(), submitter: username };
  const sealed: Encrypt = (value, kind, id) => encrypt(ctx.config.keyring, value, { kind, id });
  const docs: BuildDoc[] = [];
  for (const [index, member] of members.entries()) {
    const group = size > 1 ? { id, size, index } : undefined;
    const made = { userId, username, number: number + index, namespace: entered };
    // A request has one entry, whatever it makes.
    const auditEntry = cause && (index === 0 || !("entry" in cause)) ? entryOf(cause, made) : undefined;
    const idempotency = index === 0 ? order.idempotency : undefined;
    const own = { ...member, ...inGroup(order, index, size), group, place: places[index]!, auditEntry, idempotency };
    // A build may have to encrypt thousands of values, and a matrix has many builds.
    if (index > 0) await new Promise(setImmediate);
    docs.push(newBuild({ ...common, ...own }, ids[index]!, made.number, at, sealed));
  }
  const stored = await ctx.builds.insert(docs, order.signal);
  // The builds are stored, so the submission has succeeded.
  const announced = announce(ctx, stored).catch((err) =>
    ctx.log.warn({ err, build: id }, "build not announced; a loop will retry it"),
  );
  await waitFor(ownTask(ctx, announced), announceMs);
  return { doc: docs[0]!, place: places[0]! };
}

/**
 * Queues a checked draft, a large one when its turn comes. The inputs of a large draft are read again then, because those of
 * all who wait would fill the heap. `enter` returns the namespace, and checks it again for one that has waited.
 */
export async function queueInTurn(
  ctx: Context,
  draft: Omit<BuildOrder, "inputs">,
  { inputs, bytes }: Pick<BuildInputs, "inputs" | "bytes">,
  enter: (waited: boolean) => Promise<Namespace | undefined>,
): Promise<QueuedBuild> {
  if (inputs) return queue(ctx, { ...draft, namespace: await enter(false), inputs });
  const done = await inBuildingTurn(draft.userId, bytes, async () => {
    const entered = { ...draft, namespace: await enter(true) };
    const again = await readAllInputs(ctx, entered);
    complain(again.complaints);
    return again.bytes > bytes ? again.bytes : queue(ctx, { ...entered, inputs: again.inputs! });
  });
  return typeof done === "number" ? queueInTurn(ctx, draft, { bytes: done }, enter) : done;
}

/** Tells runners, waiting users and the audit log of new builds. The loops make up for it if the process dies before. */
export async function announce(ctx: Context, docs: readonly BuildDoc[]): Promise<void> {
  for (const doc of docs) {
    if (doc.status === "queued") ctx.places.queued(doc);
    ctx.deletions.created(doc);
  }
  ctx.entries.record(docs);
  await offer(
    ctx,
    docs.filter(({ awaitsApproval }) => !awaitsApproval),
  );
}

type Offering = Pick<Context, "line" | "bus" | "killReplaced">;

/** Lets runners claim queued builds. If the process dies before this, a loop does it. */
export async function offer(ctx: Offering, docs: readonly BuildDoc[]): Promise<void> {
  for (const driver of new Set(docs.map((doc) => doc.driver.type))) {
    const users = docs.filter((doc) => doc.driver.type === driver).map(({ userId }) => userId);
    await ctx.line.queued(driver, [...new Set(users)]);
    ctx.bus.nudge(`queue.${driver}`);
  }
  const groups = docs.flatMap(({ concurrency }) => (concurrency?.cancel ? [concurrency.key] : []));
  for (const key of new Set(groups)) await ctx.killReplaced(key);
}

/** Reads a request for a build. Returns its valid parts and every complaint; makes nothing. */
async function readRequest(ctx: Context, request: BuildRequest) {
  const { text, userId, isStored, tags, parameters = [], leftOut, destination: given } = request;
  const how = { acceptedDrivers: ctx.config.drivers, isStored, destination: given };
  const checked = await checkManifest(ctx, text, userId, how);
  const { names, complaints: aboutTags } = submittedTags(tags, ctx.config);
  const { manifest, destination } = checked;
  const selected =
    manifest && (leftOut ? withoutJobs(manifest, leftOut) : await narrowed(manifest, { event: "manual" }));
  const what = selected && { ...request, ...selected, tags: names, parameters };
  // A namespace that does not exist yet has no inputs of its own, but inherits those of the namespaces above it.
  const read = what && destination && (await readInputs(ctx, { ...what, ...destination }));
  const aboutInputs = (read?.complaints.manifest ?? []).map((message) => ({ message }));
  return {
    manifest,
    destination,
    order: what && read && { ...what, ...read },
    aboutManifest: [...checked.complaints, ...aboutInputs],
    aboutTags,
    aboutVariables: [...parameterComplaints(parameters), ...(read?.complaints.variables ?? [])],
  };
}

/** Returns every complaint about a request for a build, and its manifest if that can be read. */
export async function checkDraft(
  ctx: Context,
  request: Omit<BuildRequest, "trigger">,
): Promise<{ complaints: readonly Complaint[]; manifest?: Manifest }> {
  const { aboutManifest, aboutTags, aboutVariables, manifest } = await readRequest(ctx, {
    ...request,
    trigger: manualTrigger(""),
  });
  const others = [...aboutTags, ...aboutVariables].map((message) => ({ message }));
  return { complaints: [...aboutManifest, ...others], manifest };
}

/** Checks a request for a build. Its change creates missing namespaces and queues the build. */
export async function prepareBuild(ctx: Context, request: BuildRequest): Promise<Validation<Build>> {
  const { userId } = request;
  const { order, destination, aboutManifest, aboutTags, aboutVariables } = await readRequest(ctx, request);
  return {
    complaints: { manifest: messagesOf(aboutManifest), tags: aboutTags, variables: aboutVariables },
    async change() {
      const isRestart = request.destination !== undefined;
      const enter = (waited: boolean) => enterDestination(ctx, userId, destination!, waited || isRestart);
      return toQueuedBuild(await queueInTurn(ctx, { ...order!, actorId: userId }, order!, enter));
    },
  };
}

/** A request to build a commit in the given namespace, whichever one its manifest names. */
export interface CommitRequest extends BuildRequest {
  readonly origin: Origin;
  readonly namespace?: Namespace | undefined;
  /** Returns the namespace right before the builds are stored. Throws if they may no longer be. */
  readonly confirm?: () => Promise<Namespace>;
  readonly actorId?: number;
  /** Absent for a restart. */
  readonly occasion?: Occasion;
  readonly awaitsApproval?: boolean;
  /** The builds without approval that exist already; limits hold for all together. */
  readonly unapproved?: Unapproved;
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

/** Checks a request to build a commit. Its change queues the build. Throws Unwanted if the manifest is not for this occasion. */
export async function prepareCommit(ctx: Context, request: CommitRequest): Promise<Validation<QueuedBuild>> {
  const limits = buildLimits(ctx.config, request.isStored);
  const read = await manifests.read(request.userId, request.text, limits);
  const { names: tags, complaints: aboutTags } = submittedTags(request.tags, ctx.config);
  const selected = "manifest" in read ? await selectForCommit(read.manifest, request) : undefined;
  const manifest = selected && withOrigin(selected.manifest, request.origin);
  const what = manifest && { ...request, tags, manifest, leftOut: selected.leftOut };
  const found = what && (await readInputs(ctx, what));
  const more = what && found && { builds: membersOf(manifest, request.axes).length, bytes: found.bytes };
  const aboutSize = more && request.unapproved ? unapprovedComplaints(request.unapproved, more) : [];
  const aboutVariables = parameterComplaints(request.parameters ?? []);
  const { userId, namespace } = request;
  const enter = request.confirm ?? (() => requireSubmitter(ctx, userId, namespace?.id));
  return {
    complaints: {
      manifest: [...messagesOf(read.complaints), ...(found?.complaints.manifest ?? []), ...aboutSize],
      tags: aboutTags,
      variables: [...aboutVariables, ...(found?.complaints.variables ?? [])],
    },
    change: () => queueInTurn(ctx, what!, found!, enter),
  };
}

/**
 * Throws `invalid` with every complaint, Unwanted if the manifest is not for this occasion, and a duplicate key error if the
 * delivery already has this build.
 */
export const submitCommit = async (ctx: Context, request: CommitRequest): Promise<QueuedBuild> =>
  carryOut(await prepareCommit(ctx, request));
