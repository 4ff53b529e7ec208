import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { invalid } from "@ci/kit/rpc/fault";
import { queuePlacesById } from "../actions/queue/queue-places.js";
import type { Context, Handlers } from "../context.js";
import { toBuild } from "../domain/shown-build.js";

const maxNamespaces = fixedLimit({
  max: 200,
  about: "namespaces in a request of a service for their newest builds",
  refusal: "Namespace IDs cannot exceed N",
});

export const getLatestBuilds =
  (ctx: Context): Handlers["getLatestBuilds"] =>
  async ({ namespaceIds }) => {
    if (namespaceIds.length > maxNamespaces)
      throw invalid({ namespace_ids: [`Namespace IDs cannot exceed ${maxNamespaces}`] });
    const docs = await ctx.builds.latest(namespaceIds);
    const places = await queuePlacesById(ctx, docs);
    return { builds: docs.map((doc) => ({ ...toBuild({ ...doc, manifest: "" }), queue: places.get(doc._id) })) };
  };
