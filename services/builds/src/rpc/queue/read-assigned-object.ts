import { notFound } from "@ci/kit/rpc/fault";
import type { Context, QueueHandlers } from "../../context.js";
import { requireHeld } from "../../domain/change.js";
import { requireSecret } from "../../domain/lease-secret.js";

export const readAssignedObject = (ctx: Context): QueueHandlers["readAssignedObject"] =>
  async function* ({ buildId, epoch, leaseSecret, id }, { signal }) {
    const build = await ctx.builds.byId(buildId);
    requireSecret(build, leaseSecret);
    requireHeld(build, epoch);
    const objectId = build.objects.find((object) => object.id === id)?.objectId;
    if (objectId === undefined) throw notFound();
    for await (const { chunk } of ctx.objects.readObject({ id: objectId }, { signal })) yield { chunk };
  };
