import { notFound } from "@ci/kit/rpc/fault";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";

export const untagBuild =
  (ctx: Context): Handlers["untagBuild"] =>
  async ({ ref, name }, { caller }) => {
    const { _id, namespaceId } = await seeBuild(ctx, caller, ref, [], "write");
    await ctx.builds.change(_id, ({ tags }) => {
      if (!tags.some((tag) => tag.name === name)) throw notFound();
      return { set: { tags: tags.filter((tag) => tag.name !== name) } };
    });
    return { namespaceId };
  };
