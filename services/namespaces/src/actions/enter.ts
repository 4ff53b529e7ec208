import { setTimeout as delay } from "node:timers/promises";
import { nextIds } from "@ci/kit/mongo/ids";
import { asFault, Fault, type Fields, invalid } from "@ci/kit/rpc/fault";
import { complain } from "@ci/kit/rpc/validated";
import type { Context } from "../context.js";
import { type Act, namespaceChanged } from "../domain/events.js";
import { newNamespace, type Placed, toNamespace } from "../domain/namespace.js";
import { type NamedPath, parseNamedPath, pathComplaints } from "../domain/path.js";
import { filterAllowed } from "./see-namespace.js";

const maxTries = 10;
/** How long to wait for a namespace that another request may be creating. */
const announcedMs = 50;

/** A path that a user may create records in: its owner, and those of its namespaces that exist. */
interface Entrance {
  readonly ownerId: number;
  readonly elements: readonly string[];
  readonly found: readonly Placed[];
}

async function ownerOf(ctx: Context, { owner }: NamedPath, userId: number): Promise<number | undefined> {
  const [user] = owner === undefined ? await ctx.users.byIds([userId]) : [await ctx.users.byUsername(owner)];
  return user && !user.endedAt ? user._id : undefined;
}

/** Returns the complaint under `namespace` if the owner may not have more namespaces. */
const beyondQuota = ({ namespaces = [] }: Fields): string[] =>
  namespaces.map((complaint) => `Namespace cannot be created, ${complaint[0]!.toLowerCase()}${complaint.slice(1)}`);

/** Returns a path's existing namespaces. Complains if a quota forbids the rest, unless it was created meanwhile. */
async function withinQuota(ctx: Context, { ownerId, elements, found: before }: Entrance): Promise<readonly Placed[]> {
  for (let found = before; ; ) {
    const missing = elements.length - found.length;
    const full = missing > 0 ? beyondQuota(await ctx.namespaces.quotaComplaints(ownerId, missing)) : [];
    if (full.length === 0) return found;
    const known = found.length;
    found = await ctx.namespaces.along(ownerId, elements);
    if (found.length <= known) complain({ namespace: full });
  }
}

/** Finds the existing part of a new record's path. Fault `invalid`, under `namespace`, if the user may not use it. */
export async function findEntrance(ctx: Context, name: string, userId: number): Promise<Entrance> {
  const named = parseNamedPath(name);
  const { elements } = named;
  const ownerId = await ownerOf(ctx, named, userId);
  const complaints = [...pathComplaints(elements), ...(ownerId === undefined ? ["Namespace invalid owner"] : [])];
  if (ownerId === undefined || complaints.length > 0) throw invalid({ namespace: complaints });
  const found = await ctx.namespaces.along(ownerId, elements);
  // A collaborator may create namespaces only below an existing root. A stranger does not learn what exists.
  if (ownerId !== userId && (await filterAllowed(ctx, userId, "write", found.slice(0, 1))).length === 0)
    throw invalid({ namespace: ["Namespace permission denied"] });
  return { ownerId, elements, found: await withinQuota(ctx, { ownerId, elements, found }) };
}

/** Creates one namespace of the path, or returns the one that a concurrent request created. */
async function createOne(
  ctx: Context,
  { ownerId, elements }: Entrance,
  parent: Placed | undefined,
  id: number,
  act: Act,
): Promise<Placed> {
  const name = elements[parent ? parent.doc.line.length + 1 : 0]!;
  const created = newNamespace({ id, userId: ownerId, name, at: act.at }, parent);
  const outbox = parent ? [namespaceChanged(act, "created", toNamespace(created), parent.doc._id)] : [];
  for (let tries = 0; tries < maxTries; tries++) {
    const beyond: string[] = [];
    const isCreated = await ctx.namespaces.insert({ ...created.doc, outbox }).catch((error) => {
      beyond.push(...beyondQuota(asFault(error).fields ?? {}));
      if (beyond.length === 0) throw error;
      return false;
    });
    if (isCreated) {
      ctx.deletions.created({ namespaceId: parent?.doc._id });
      return created;
    }
    // Namespaces that others have announced count too, and one of them may be this one.
    const full = beyond.length > 0 ? beyondQuota(await ctx.namespaces.quotaComplaints(ownerId, 1)) : [];
    const doc = await ctx.namespaces.named(ownerId, parent?.doc._id, name);
    if (doc) return { doc, root: parent?.root ?? doc };
    complain({ namespace: tries === maxTries - 1 ? beyond : full });
    if (beyond.length > 0) await delay(announcedMs);
  }
  throw new Fault("conflict", "The namespace is repeatedly created and deleted; try again later");
}

/**
 * Returns the namespace at `path` or `path@owner` for a user who creates a record in it. Creates missing namespaces, so
 * all other checks must have passed. Fault `invalid`, under the key `namespace`, if the user may not.
 */
export async function enter(
  ctx: Context,
  request: { name: string; userId: number },
  actorId: number | undefined,
): Promise<Placed> {
  const entrance = await findEntrance(ctx, request.name, request.userId);
  let deepest = entrance.found.at(-1);
  const missing = entrance.elements.length - entrance.found.length;
  if (missing === 0) return deepest!;
  const { id: first } = await nextIds(ctx.db, "namespaces", { id: missing });
  const act = { at: ctx.now(), actorId };
  for (let id = first; id < first + missing; id++) deepest = await createOne(ctx, entrance, deepest, id, act);
  return deepest!;
}
