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

interface Site {
  /** Absent while the namespace does not exist. */
  readonly scope?: string | undefined;
  /** The user whom the image will belong to. */
  readonly ownerId?: number | undefined;
  readonly complaints: readonly string[];
}

/** Returns where a new image belongs, or what is wrong with the namespace. */
async function findSite(ctx: Context, userId: number, name: string): Promise<Site> {
  if (name === "") return { scope: userScope(userId), ownerId: userId, complaints: [] };
  try {
    const { namespace, ownerId } = await ctx.namespaces.enterNamespace({ name, userId, create: false });
    return { scope: namespace && namespaceScope(namespace.id), ownerId, complaints: [] };
  } catch (error) {
    if (error instanceof Fault && error.code === "invalid") return { complaints: error.fields?.namespace ?? [] };
    throw error;
  }
}

/** Returns the owner of a new image, and what is wrong with its name and namespace, by field. Creates nothing. */
export async function checkTarget(
  ctx: Context,
  userId: number,
  { name, namespace }: Target,
): Promise<{ ownerId?: number | undefined; complaints: Fields }> {
  const { scope, ownerId, complaints } = await findSite(ctx, userId, namespace);
  const exists = scope !== undefined && name !== "" && (await ctx.images.named(scope, name)) !== null;
  const aboutName = [...nameComplaints(name), ...(exists ? [taken] : [])];
  const aboutQuotas = ownerId === undefined ? {} : await ctx.images.quotaComplaints({ userId: ownerId, scope });
  return { ownerId, complaints: { ...aboutQuotas, namespace: complaints, name: aboutName } };
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
