import type { Repository } from "@ci/proto/builds/v1/repositories";
import type { Context } from "../../context.js";
import { type RepositoryDoc, toRepository } from "../../store/repositories.js";

/** Returns the record of a repository, with the time of its newest event. */
export const showRepository = async (ctx: Context, doc: RepositoryDoc): Promise<Repository> => ({
  ...toRepository(doc),
  lastEventAt: await ctx.hookDeliveries.lastEventAt(doc._id),
});
