import { nextId } from "@ci/kit/mongo/ids";
import { invalid } from "@ci/kit/rpc/fault";
import { refuse } from "@ci/kit/rpc/refuse";
import type { Context, NamespaceHandlers } from "../context.js";
import {
  descriptionComplaints,
  newNamespace,
  type Placed,
  toNamespace,
  visibilityComplaints,
} from "../domain/namespace.js";
import { maxDepth, nameComplaints } from "../domain/path.js";
import { namespaceChanged } from "../events.js";
import { userOf } from "./see.js";

type Ask = Parameters<NamespaceHandlers["createNamespace"]>[0];

async function findParent(ctx: Context, userId: number, parent: string): Promise<Placed | undefined> {
  const elements = parent.split("/");
  if (elements.length > maxDepth) return undefined;
  return (await ctx.namespaces.along(userId, elements))[elements.length - 1];
}

function parentComplaints({ parent }: Ask, found: Placed | undefined): string[] {
  if (parent === "") return [];
  if (!found) return ["Could not find parent"];
  return found.doc.line.length + 1 < maxDepth ? [] : [`Parent cannot exceed depth of ${maxDepth}`];
}

async function isTaken(ctx: Context, userId: number, { name, parent }: Ask, found: Placed | undefined) {
  const searched = name !== "" && (parent === "" || found);
  return searched && (await ctx.namespaces.named(userId, found?.doc._id, name)) !== null;
}

export const createNamespace =
  (ctx: Context): NamespaceHandlers["createNamespace"] =>
  async (ask, { caller }) => {
    const userId = userOf(caller);
    const parent = ask.parent === "" ? undefined : await findParent(ctx, userId, ask.parent);
    const taken = invalid({ name: ["Name already exists"] });
    refuse({
      parent: parentComplaints(ask, parent),
      name: [...nameComplaints(ask.name), ...((await isTaken(ctx, userId, ask, parent)) ? taken.fields!.name! : [])],
      description: descriptionComplaints(ask.description),
      visibility: visibilityComplaints(ask.visibility),
    });
    const act = { at: ctx.now(), actorId: userId };
    const { name, description, visibility } = ask;
    const id = await nextId(ctx.db, "namespaces");
    const made = newNamespace({ id, userId, name, at: act.at }, parent, {
      description,
      visibility: visibility || "private",
    });
    const outbox = parent ? [namespaceChanged(act, "created", toNamespace(made), parent.doc._id)] : [];
    if (!(await ctx.namespaces.insert({ ...made.doc, outbox }))) throw taken;
    ctx.deletions.created({ namespaceId: parent?.doc._id });
    return { namespace: toNamespace(made) };
  };
