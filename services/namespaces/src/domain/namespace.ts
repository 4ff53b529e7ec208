import type { OutboxEvent, Stored } from "@ci/kit/mongo/document";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";

/** A namespace as it is kept. */
export interface NamespaceDoc extends Omit<Stored<Namespace>, "visibility"> {
  /** Only the root has it, so that changing it is one write; and whatever is deleted, as it was then. */
  readonly visibility?: string;
  /** Ids of those above it, the root first; a namespace exists only while all of them do. */
  readonly line: readonly number[];
  /** What it is found by when its path is searched for; the store makes them. */
  readonly terms?: readonly string[];
  readonly outbox: OutboxEvent[];
  /** Deleted since then; events and records in it may still have to be seen to. */
  readonly endedAt?: Date;
  readonly endedBy?: number;
  /** When what the deletion entails is to be done, or done once more. */
  readonly clearAt?: Date;
}

/** A namespace together with the root that decides about it. */
export interface Placed {
  readonly doc: NamespaceDoc;
  readonly root: NamespaceDoc;
}

export const visibilities = ["private", "internal", "public"];

export const visibilityOf = (root: NamespaceDoc): string => root.visibility ?? "private";

export const toNamespace = ({ doc, root }: Placed): Namespace => ({
  id: doc._id,
  userId: doc.userId,
  rootId: doc.rootId,
  parentId: doc.parentId,
  name: doc.name,
  path: doc.path,
  description: doc.description,
  visibility: visibilityOf(root),
  createdAt: doc.createdAt,
});

/** A new namespace under `parent`, or a new root. */
export function newNamespace(
  { id, userId, name, at }: { id: number; userId: number; name: string; at: Date },
  parent: Placed | undefined,
  { description = "", visibility = "private" }: { description?: string; visibility?: string } = {},
): Placed {
  const common = { _id: id, userId, name, description, createdAt: at, outbox: [] };
  if (!parent) {
    const doc = { ...common, rootId: id, path: name, line: [], visibility };
    return { doc, root: doc };
  }
  const above = parent.doc;
  const place = { rootId: above.rootId, parentId: above._id, line: [...above.line, above._id] };
  return { doc: { ...common, ...place, path: `${above.path}/${name}` }, root: parent.root };
}

/** What is wrong with a description. */
export const descriptionComplaints = (description: string): string[] =>
  [...description].length <= 255 ? [] : ["Description cannot be longer than 255 characters in length"];

/** What is wrong with a visibility; none given is well. */
export const visibilityComplaints = (visibility: string | undefined): string[] =>
  !visibility || visibilities.includes(visibility) ? [] : [`Visibility invalid visibility ${visibility}`];
