import { namespaceScope, type Scoped } from "@ci/access/record-scope";
import type { OutboxEvent } from "@ci/kit/mongo/document";
import { type Caller, userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { Page } from "@ci/proto/common/v1/page";
import type { Context } from "../context.js";
import type { Action } from "../domain/access.js";
import type { Act } from "../domain/events.js";
import type { ScopedStore } from "../store/scoped.js";
import { filterAllowed, seeNamespace } from "./see-namespace.js";

type Access = Pick<Context, "memberships" | "namespaces">;

/** Returns the record with this id. Throws `not_found` if the caller may not act on it. */
export async function seeRecord<D extends Scoped>(
  ctx: Access,
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
    // The namespace has been deleted, but this record is not yet released from it.
    await store.release(doc);
    return seeRecord(ctx, store, id, caller, action);
  }
  if ((await filterAllowed(ctx, userId, action, found)).length === 0) throw notFound();
  return doc;
}

/** Shows records of deleted namespaces as if they were already released: without namespace, to their user alone. */
async function released<D extends Scoped>(ctx: Access, userId: number, docs: readonly D[]): Promise<D[]> {
  const ended = new Set(docs.flatMap(({ namespaceId }) => namespaceId ?? []));
  for (const { doc } of await ctx.namespaces.byIds([...ended])) ended.delete(doc._id);
  return docs.flatMap((doc) => {
    if (doc.namespaceId === undefined || !ended.has(doc.namespaceId)) return doc;
    return doc.userId === userId ? { ...doc, namespaceId: undefined } : [];
  });
}

/** Returns one page of a namespace or, without one, of everything the caller owns or collaborates on. */
export async function listRecords<D extends Scoped>(
  ctx: Access,
  store: Pick<ScopedStore<D>, "list">,
  request: { namespaceId?: number | undefined; search: string; page: Page | undefined },
  caller: Caller,
) {
  const userId = userOf(caller);
  const { namespaceId, search, page } = request;
  if (namespaceId === undefined) {
    const rootIds = await ctx.memberships.rootsOf(userId);
    const listed = await store.list({ userId, rootIds }, search, page?.number);
    return { ...listed, items: await released(ctx, userId, listed.items) };
  }
  await seeNamespace(ctx, userId, namespaceId, "view");
  return store.list({ scope: namespaceScope(namespaceId) }, search, page?.number);
}

/** Deletes a record with its event, if the caller may; returns it as it was. */
export async function removeRecord<D extends Scoped>(
  ctx: Access & Pick<Context, "now">,
  store: Pick<ScopedStore<D>, "get" | "release" | "remove">,
  id: number,
  caller: Caller,
  event: (act: Act, doc: D) => OutboxEvent,
): Promise<D> {
  for (;;) {
    const doc = await seeRecord(ctx, store, id, caller, "write");
    const at = ctx.now();
    if (await store.remove(doc, at, event({ at, actorId: caller.userId }, doc))) return doc;
    // The record was deleted or changed owner since it was read. Read it again.
  }
}
