import { notFound } from "@ci/kit/rpc/fault";
import type { Context, Handlers } from "../context.js";
import { seeBuild } from "./see.js";

export const untagBuild =
  (ctx: Context): Handlers["untagBuild"] =>
  async ({ ref, name }, { caller }) => {
    const { _id } = await seeBuild(ctx, caller, ref, "write");
    await ctx.builds.change(_id, ({ tags }) => {
      if (!tags.some((tag) => tag.name === name)) throw notFound();
      return { set: { tags: tags.filter((tag) => tag.name !== name) } };
    });
    return {};
  };
