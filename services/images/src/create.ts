import { nextId } from "@ci/kit/mongo/ids";
import { Fault, type Fields, invalid } from "@ci/kit/rpc/fault";
import type { Context } from "./context.js";
import { type ImageDoc, nameComplaints, namespaceScope, placeIn, toImage, userScope } from "./domain/image.js";
import { imageChanged } from "./events.js";

/** What somebody wants a new image to be called, and where. */
export interface Wish {
  readonly name: string;
  /** path or path@owner; empty for none. */
  readonly namespace: string;
}

const taken = "Name already exists";

/** Where it would go, or what is wrong with that; nothing is made. No scope: the namespace does not exist yet. */
async function site(
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

/** What is wrong with the name and the namespace of a new image, by field; nothing is made. */
export async function wishComplaints(ctx: Context, userId: number, wish: Wish): Promise<Fields> {
  const { scope, complaints } = await site(ctx, userId, wish.namespace);
  const exists = scope !== undefined && wish.name !== "" && (await ctx.images.named(scope, wish.name)) !== null;
  return { namespace: complaints, name: [...nameComplaints(wish.name), ...(exists ? [taken] : [])] };
}

/**
 * Stores a new image with its event; missing namespaces are made, so every check must have passed. `rest` tells what
 * the image holds by its id. Fault `invalid` if somebody else was quicker with the name.
 */
export async function createImage(
  ctx: Context,
  userId: number,
  { name, namespace }: Wish,
  rest: (id: number) => Partial<ImageDoc>,
): Promise<ImageDoc> {
  const entered = namespace
    ? await ctx.namespaces.enterNamespace({ name: namespace, userId, create: true })
    : undefined;
  const id = await nextId(ctx.db, "images");
  const place = placeIn(entered?.namespace, userId);
  const doc: ImageDoc = { _id: id, ...place, name, createdAt: ctx.now(), ...rest(id), outbox: [] };
  const event = imageChanged({ at: doc.createdAt as Date, actorId: userId }, "created", toImage(doc));
  if (!(await ctx.images.insert({ ...doc, outbox: [event] }))) throw invalid({ name: [taken] });
  ctx.deletions.created({ namespaceId: doc.namespaceId });
  return doc;
}
