import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { nextId, nextIds, nextNumber } from "@ci/kit/mongo/ids";
import { addLogFields } from "@ci/kit/process/log";
import { trail } from "@ci/kit/rpc/caller";
import { complain } from "@ci/kit/rpc/validated";
import { encrypt } from "@ci/kit/security/secrets";
import type { Build, QueuePlace } from "@ci/proto/builds/v1/builds";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../../context.js";
import type { BuildDoc } from "../../domain/build.js";
import { entryOf } from "../../domain/entry.js";
import { inGroup, type Member, membersOf } from "../../domain/group.js";
import { concurrencyOf, type Encrypt, idsOf, idsOfInputs, newBuild, type Submission } from "../../domain/new-build.js";
import { toBuild } from "../../domain/shown-build.js";
import { ownTask } from "../own-task.js";
import { waitFor } from "../wait-for.js";
import { announce } from "./announce.js";
import { inBuildingTurn } from "./building-turns.js";
import type { Draft } from "./estimate-sizes.js";
import { type BuildInputs, readAllInputs } from "./read-inputs.js";

/** What to queue, once every check has passed. */
type BuildOrder = Draft & Pick<Submission, "inputs"> & { readonly signal?: AbortSignal };

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
