import type { OutboxEvent } from "@ci/kit/mongo/document";
import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { Page } from "@ci/proto/common/v1/page";
import type { Context } from "../context.js";
import type { Action } from "../domain/access.js";
import { namespaceScope, type Scoped } from "../domain/scope.js";
import type { ScopedStore } from "../store/scoped.js";
import { among, seeNamespace, userOf } from "./see.js";

type Reach = Pick<Context, "memberships" | "namespaces">;

/** The record with this id, if the caller may do this to it; else it does not exist for them. */
export async function seeRecord<D extends Scoped>(
  ctx: Reach,
  store: Pick<ScopedStore<D>, "get" | "release">,
  id: number,
  caller: Caller,
  action: Action,
): Promise<D> {
  const userId = userOf(caller);
  const doc = await store.get(id);
  if (!doc) throw notFound();
  if (doc.namespaceId === undefined) {
    if (doc.userId !== userId) throw notFound();
    return doc;
  }
  const found = await ctx.namespaces.byIds([doc.namespaceId]);
  if (found.length === 0) {
    // Its namespace is being deleted, and this record is still in line to be given to its user.
    await store.release([doc.namespaceId]);
    return seeRecord(ctx, store, id, caller, action);
  }
  if ((await among(ctx, userId, action, found)).length === 0) throw notFound();
  return doc;
}

/** One page of what is in a namespace or, without one, of everything where the caller is a member. */
export async function listRecords<D extends Scoped>(
  ctx: Reach,
  store: Pick<ScopedStore<D>, "list">,
  ask: { namespaceId?: number | undefined; search: string; page: Page | undefined },
  caller: Caller,
) {
  const userId = userOf(caller);
  const { namespaceId, search, page } = ask;
  if (namespaceId === undefined) {
    const rootIds = await ctx.memberships.rootsOf(userId);
    return store.list({ userId, rootIds }, search, page?.number);
  }
  await seeNamespace(ctx, userId, namespaceId, "view");
  return store.list({ scope: namespaceScope(namespaceId) }, search, page?.number);
}

/** Deletes a record that the caller may delete, together with the event that says so. */
export async function removeRecord<D extends Scoped>(
  ctx: Reach & Pick<Context, "now">,
  store: Pick<ScopedStore<D>, "get" | "release" | "remove">,
  id: number,
  caller: Caller,
  event: (act: { at: Date; actorId: number | undefined }, doc: D) => OutboxEvent,
): Promise<void> {
  for (;;) {
    const doc = await seeRecord(ctx, store, id, caller, "write");
    const at = ctx.now();
    if (await store.remove(doc, at, event({ at, actorId: caller.userId }, doc))) return;
    // It was deleted or changed hands meanwhile: look again.
  }
}
