import type { Context, Handlers } from "../context.js";
import { toBuild } from "../domain/change.js";

export const getLatestBuilds =
  (ctx: Context): Handlers["getLatestBuilds"] =>
  async ({ namespaceIds }) => {
    const found = await Promise.all(namespaceIds.map((id) => ctx.builds.latest(id)));
    return { builds: found.filter((doc) => doc !== null).map(toBuild) };
  };
