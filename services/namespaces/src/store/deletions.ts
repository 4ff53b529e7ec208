import { ensureIndexes } from "@ci/kit/mongo/mongo";
import type { Deletion, Deletion_Kind } from "@ci/proto/namespaces/v1/accounts";
import type { Db } from "mongodb";

interface DeletionDoc {
  _id: string;
  at: Date;
}

type Record = Omit<Deletion, "unpublished" | "at"> & { readonly at: Date };
type Place = Pick<Deletion, "kind" | "id" | "at">;

const keyOf = ({ kind, id }: Place) => `${kind}:${id}`;
const waiting = { "outbox.0": { $exists: true } } as const;

function rangeOf({ since, after }: { since?: Date | undefined; after?: Place | undefined }) {
  if (!after?.at) return { at: { $gte: since ?? new Date(0) } };
  return { $or: [{ at: { $gt: after.at } }, { at: after.at, _id: { $gt: keyOf(after) } }] };
}

/** Reads the deletions that `@ci/kit/mongo/deletions` records. */
export function deletionList(db: Db) {
  const deletions = db.collection<DeletionDoc>("deletions");

  async function unpublishedOf(kind: string, collection: string, found: readonly Record[]): Promise<Set<number>> {
    const ids = found.filter((deletion) => deletion.kind === kind).map(({ id }) => id);
    if (ids.length === 0) return new Set();
    const docs = db.collection<{ _id: number }>(collection).find({ _id: { $in: ids }, ...waiting });
    return new Set(await docs.map(({ _id }) => _id).toArray());
  }

  return {
    ensureIndexes: () => ensureIndexes(deletions, [{ key: { at: 1, _id: 1 } }]),

    async list(from: Parameters<typeof rangeOf>[0], limit: number): Promise<Deletion[]> {
      const docs = await deletions.find(rangeOf(from)).sort({ at: 1, _id: 1 }).limit(limit).toArray();
      const found = docs.map(({ _id, at }): Record => {
        const [kind, id] = _id.split(":") as [Deletion_Kind, string];
        return { kind, id: Number(id), at };
      });
      const users = await unpublishedOf("user", "users", found);
      const namespaces = await unpublishedOf("namespace", "namespaces", found);
      const unpublished = ({ kind, id }: Record) => (kind === "user" ? users : namespaces).has(id);
      return found.map((deletion) => ({ ...deletion, unpublished: unpublished(deletion) }));
    },
  };
}

export type DeletionList = ReturnType<typeof deletionList>;
