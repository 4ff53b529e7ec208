import { notFound } from "@ci/kit/rpc/fault";
import { pageOf } from "@ci/kit/rpc/page";
import type { Build, Tag } from "@ci/proto/builds/v1/builds";
import { tagJson, tagSchema } from "@ci/rest/tag";
import { buildRefOf, checkMayChange, visibleBuild } from "../auth/targets.js";
import { relationsFor } from "../backend/relations.js";
import type { Context } from "../context.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { search, texts } from "../http/shape.js";

async function toJson(ctx: Context, build: Build, tags: readonly Tag[]) {
  const relations = await relationsFor(ctx, [build, ...tags]);
  return tags.map((tag) => tagJson(tag, build, relations));
}

const containing = (search: string) => {
  const lowerCase = search.toLowerCase();
  return ({ name }: Tag) => name.toLowerCase().includes(lowerCase);
};

export const listTags = action({
  summary: "Tags of a build, in the order they were added",
  query: search,
  paged: true,
  returns: tagSchema,
  target: visibleBuild,
  async run(ctx, input) {
    const build = await visibleBuild(ctx, input);
    const { items, page } = pageOf(build.tags.filter(containing(input.query.search ?? "")), input.page.number);
    return paged(await toJson(ctx, build, items), page);
  },
});

export const tagBuild = action({
  summary: "Adds tags to a build; returns the new ones",
  changes: "tag",
  body: { tags: texts.describe("Names of the tags") },
  whole: "tags",
  many: true,
  returns: tagSchema,
  target: async (ctx, address) => checkMayChange(ctx, address.exchange, await visibleBuild(ctx, address)),
  async run(ctx, input) {
    const ref = await buildRefOf(ctx, input);
    const { build, tags } = await ctx.builds.tagBuild({ ref, names: input.body.tags ?? [] });
    return toJson(ctx, build!, tags);
  },
});

export const getTag = action({
  summary: "A tag of a build",
  returns: tagSchema,
  async run(ctx, input) {
    const build = await visibleBuild(ctx, input);
    const tag = build.tags.find(({ name }) => name === input.params.name);
    if (!tag) throw notFound();
    return (await toJson(ctx, build, [tag]))[0];
  },
});

export const untagBuild = action({
  summary: "Removes a tag from a build",
  changes: "tag",
  run: async (ctx, input) => ctx.builds.untagBuild({ ref: await buildRefOf(ctx, input), name: input.params.name }),
});
