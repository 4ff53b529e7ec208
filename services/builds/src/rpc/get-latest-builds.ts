import { queuePlacesById } from "../actions/queue-places.js";
import type { Context, Handlers } from "../context.js";
import { toBuild } from "../domain/change.js";

export const getLatestBuilds =
  (ctx: Context): Handlers["getLatestBuilds"] =>
  async ({ namespaceIds }) => {
    const found = await Promise.all(namespaceIds.map((id) => ctx.builds.latest(id)));
    const docs = found.filter((doc) => doc !== null);
    const places = await queuePlacesById(ctx, docs);
    return { builds: docs.map((doc) => ({ ...toBuild(doc), queue: places.get(doc._id) })) };
  };
