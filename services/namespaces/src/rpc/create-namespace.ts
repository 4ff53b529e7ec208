import { nextId } from "@ci/kit/mongo/ids";
import { userOf } from "@ci/kit/rpc/caller";
import { invalid } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import type { Context, NamespaceHandlers } from "../context.js";
import { namespaceChanged } from "../domain/events.js";
import {
  descriptionComplaints,
  newNamespace,
  type Placed,
  toNamespace,
  visibilityComplaints,
} from "../domain/namespace.js";
import { maxDepth, nameComplaints, parentLengthComplaints } from "../domain/path.js";

type Request = Parameters<NamespaceHandlers["createNamespace"]>[0];

async function findParent(ctx: Context, userId: number, parent: string): Promise<Placed | undefined> {
  const elements = parent.split("/");
  if (elements.length > maxDepth) return undefined;
  return (await ctx.namespaces.along(userId, elements))[elements.length - 1];
}

function parentComplaints({ parent }: Request, found: Placed | undefined): string[] {
  if (parent === "") return [];
  const aboutLength = parentLengthComplaints(parent);
  if (aboutLength.length > 0) return aboutLength;
  if (!found) return ["Could not find parent"];
  return found.doc.line.length + 1 < maxDepth ? [] : [`Parent cannot exceed depth of ${maxDepth}`];
}

async function isTaken(ctx: Context, userId: number, { name, parent }: Request, found: Placed | undefined) {
  const searched = name !== "" && (parent === "" || found);
  return searched && (await ctx.namespaces.named(userId, found?.doc._id, name)) !== null;
}

export const createNamespace = (ctx: Context): NamespaceHandlers["createNamespace"] =>
  validated(async (request, { caller }) => {
    const userId = userOf(caller);
    const parent = request.parent === "" ? undefined : await findParent(ctx, userId, request.parent);
    const taken = invalid({ name: ["Name already exists"] });
    return {
      complaints: {
        ...(await ctx.namespaces.quotaComplaints(userId, 1)),
        parent: parentComplaints(request, parent),
        name: [
          ...nameComplaints(request.name),
          ...((await isTaken(ctx, userId, request, parent)) ? taken.fields!.name! : []),
        ],
        description: descriptionComplaints(request.description, ctx.config.descriptionLength),
        visibility: visibilityComplaints(request.visibility),
      },
      async change() {
        const act = { at: ctx.now(), actorId: userId };
        const { name, description, visibility } = request;
        const id = await nextId(ctx.db, "namespaces");
        const created = newNamespace({ id, userId, name, at: act.at }, parent, {
          description,
          visibility: visibility || "private",
        });
        const outbox = parent ? [namespaceChanged(act, "created", toNamespace(created), parent.doc._id)] : [];
        if (!(await ctx.namespaces.insert({ ...created.doc, outbox }))) throw taken;
        ctx.deletions.created({ namespaceId: parent?.doc._id });
        return { namespace: toNamespace(created) };
      },
    };
  });
