import type { OutboxEvent, Stored } from "@ci/kit/mongo/document";
import { quoted } from "@ci/kit/rpc/fault";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { visibilities } from "@ci/rest/visibilities";

export interface NamespaceDoc extends Omit<Stored<Namespace>, "visibility" | "ancestorIds"> {
  /** Only roots have it, so that changing it is one write. Deleted namespaces keep theirs at that time. */
  readonly visibility?: string;
  /** Ids of its ancestors, the root first. A namespace exists only while all of them do. */
  readonly line: readonly number[];
  readonly terms?: readonly string[];
  readonly outbox: OutboxEvent[];
  /** When it was deleted. Its events and records may still need work. */
  readonly endedAt?: Date;
  readonly endedBy?: number;
  /** When to clear all below it, or to do so again. */
  readonly clearAt?: Date;
}

/** A namespace with its root, which decides its visibility. */
export interface Placed {
  readonly doc: NamespaceDoc;
  readonly root: NamespaceDoc;
}

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
  ancestorIds: doc.line,
});

/** Returns a new namespace below `parent`, or a new root. */
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

export const descriptionComplaints = (description: string, max: number): string[] =>
  [...description].length <= max ? [] : [`Description cannot be longer than ${max} characters in length`];

export const visibilityComplaints = (visibility: string | undefined): string[] =>
  !visibility || visibilities.some((one) => one === visibility)
    ? []
    : [`Visibility invalid visibility ${quoted(visibility)}`];
