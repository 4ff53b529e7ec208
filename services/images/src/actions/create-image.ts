import { namespaceScope, placement, userScope } from "@ci/access/record-scope";
import { nextId } from "@ci/kit/mongo/ids";
import { Fault, type Fields, invalid } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { imageChanged } from "../domain/events.js";
import { type ImageDoc, nameComplaints, toImage } from "../domain/image.js";

export interface Target {
  readonly name: string;
  /** path or path@owner; empty for none. */
  readonly namespace: string;
}

const taken = "Name already exists";

/** Returns the scope of a new image, or what is wrong with the namespace. A namespace to be created has no scope yet. */
async function findScope(
  ctx: Context,
  userId: number,
  name: string,
): Promise<{ scope?: string; complaints: readonly string[] }> {
  if (name === "") return { scope: userScope(userId), complaints: [] };
  try {
    const { namespace } = await ctx.namespaces.enterNamespace({ name, userId, create: false });
    return { scope: namespace && namespaceScope(namespace.id), complaints: [] };
  } catch (error) {
    if (error instanceof Fault && error.code === "invalid") return { complaints: error.fields?.namespace ?? [] };
    throw error;
  }
}

/** Returns what is wrong with the name and namespace of a new image, by field. Creates nothing. */
export async function targetComplaints(ctx: Context, userId: number, { name, namespace }: Target): Promise<Fields> {
  const { scope, complaints } = await findScope(ctx, userId, namespace);
  const exists = scope !== undefined && name !== "" && (await ctx.images.named(scope, name)) !== null;
  return { namespace: complaints, name: [...nameComplaints(name), ...(exists ? [taken] : [])] };
}

/** Creates an image and missing namespaces after all checks have passed. Throws `invalid` if the name is now taken. */
export async function createImage(
  ctx: Context,
  userId: number,
  { name, namespace }: Target,
  content: (id: number) => Partial<ImageDoc>,
): Promise<ImageDoc> {
  const entered = namespace
    ? await ctx.namespaces.enterNamespace({ name: namespace, userId, create: true })
    : undefined;
  const id = await nextId(ctx.db, "images");
  const place = placement(entered?.namespace, userId);
  const doc: ImageDoc = { _id: id, ...place, name, createdAt: ctx.now(), ...content(id), outbox: [] };
  const event = imageChanged({ at: doc.createdAt as Date, actorId: userId }, "created", toImage(doc));
  if (!(await ctx.images.insert({ ...doc, outbox: [event] }))) throw invalid({ name: [taken] });
  ctx.deletions.created({ namespaceId: doc.namespaceId });
  return doc;
}
