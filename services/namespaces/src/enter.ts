import { nextIds } from "@ci/kit/mongo/ids";
import { Fault, invalid } from "@ci/kit/rpc/fault";
import type { Context } from "./context.js";
import { newNamespace, type Placed, toNamespace } from "./domain/namespace.js";
import { type NamedPath, parseNamedPath, pathComplaints } from "./domain/path.js";
import { type Act, namespaceChanged } from "./events.js";
import { among } from "./rpc/see.js";

const mostTries = 10;

/** A namespace that somebody may put something into: as much of it as exists, and whose the rest will be. */
interface Entrance {
  readonly ownerId: number;
  readonly elements: readonly string[];
  readonly found: readonly Placed[];
}

async function ownerOf(ctx: Context, { owner }: NamedPath, userId: number): Promise<number | undefined> {
  const [user] = owner === undefined ? await ctx.users.byIds([userId]) : [await ctx.users.byUsername(owner)];
  return user && !user.endedAt ? user._id : undefined;
}

/** Checks everything and creates nothing. */
async function check(ctx: Context, name: string, userId: number): Promise<Entrance> {
  const named = parseNamedPath(name);
  const { elements } = named;
  const ownerId = await ownerOf(ctx, named, userId);
  const complaints = [...pathComplaints(elements), ...(ownerId === undefined ? ["Namespace invalid owner"] : [])];
  if (ownerId === undefined || complaints.length > 0) throw invalid({ namespace: complaints });
  const found = await ctx.namespaces.along(ownerId, elements);
  // In somebody else's account nothing is made but below a root that the user works in.
  if (ownerId !== userId && (await among(ctx, userId, "write", found.slice(0, 1))).length === 0)
    throw invalid({ namespace: ["Namespace permission denied"] });
  return { ownerId, elements, found };
}

/** Makes one element, or finds that somebody else just has. */
async function makeOne(ctx: Context, at: Entrance, above: Placed | undefined, id: number, act: Act): Promise<Placed> {
  const name = at.elements[above ? above.doc.line.length + 1 : 0]!;
  const made = newNamespace({ id, userId: at.ownerId, name, at: act.at }, above);
  const outbox = above ? [namespaceChanged(act, "created", toNamespace(made), above.doc._id)] : [];
  for (let tries = 0; tries < mostTries; tries++) {
    if (await ctx.namespaces.insert({ ...made.doc, outbox })) {
      ctx.deletions.created({ namespaceId: above?.doc._id });
      return made;
    }
    const doc = await ctx.namespaces.named(at.ownerId, above?.doc._id, name);
    if (doc) return { doc, root: above?.root ?? doc };
  }
  throw new Fault("conflict", "The namespace is being created and deleted again and again");
}

/**
 * The namespace that `path` or `path@owner` names, for a user who wants to put something into it. Missing elements
 * are made only when `create` is set, after every check has passed; undefined when they are missing and it is not.
 * Fault `invalid`, under the key `namespace`, when the name is malformed or the user may not.
 */
export async function enter(
  ctx: Context,
  ask: { name: string; userId: number; create: boolean },
  actorId: number | undefined,
): Promise<Placed | undefined> {
  const entrance = await check(ctx, ask.name, ask.userId);
  let at = entrance.found.at(-1);
  const missing = entrance.elements.length - entrance.found.length;
  if (missing === 0) return at;
  if (!ask.create) return undefined;
  const { id: first } = await nextIds(ctx.db, "namespaces", { id: missing });
  const act = { at: ctx.now(), actorId };
  for (let id = first; id < first + missing; id++) at = await makeOne(ctx, entrance, at, id, act);
  return at;
}
