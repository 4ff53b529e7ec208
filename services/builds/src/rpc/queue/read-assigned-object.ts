import { notFound } from "@ci/kit/rpc/fault";
import { heldBuild } from "../../actions/queue/held-build.js";
import type { Context, QueueHandlers } from "../../context.js";

export const readAssignedObject = (ctx: Context): QueueHandlers["readAssignedObject"] =>
  async function* ({ id, ...lease }, { signal }) {
    const { objects } = await heldBuild(ctx, lease);
    const objectId = objects.find((object) => object.id === id)?.objectId;
    if (objectId === undefined) throw notFound();
    for await (const { chunk } of ctx.objects.readObject({ id: objectId }, { signal })) yield { chunk };
  };
