import { notFound } from "@ci/kit/rpc/fault";
import type { Build, Tag } from "@ci/proto/builds/v1/builds";
import { tagJson } from "@ci/rest/tag";
import type { Context } from "../context.js";
import { known } from "../backend/relations.js";
import { paged, pageOf } from "../http/page.js";
import { action } from "../http/row.js";
import { tag } from "../schemas.js";
import { text, texts } from "../http/shape.js";
import { type Asked, buildRefOf, checkMayChange } from "../auth/targets.js";

async function buildOf(ctx: Context, asked: Asked): Promise<Build> {
  const { build } = await ctx.builds.getBuild({ ref: await buildRefOf(ctx, asked), brief: true });
  return build!;
}

async function shown(ctx: Context, build: Build, tags: readonly Tag[]) {
  const all = await known(ctx, [build, ...tags]);
  return tags.map((one) => tagJson(one, build, all));
}

const containing = (search: string) => {
  const wanted = search.toLowerCase();
  return ({ name }: Tag) => name.toLowerCase().includes(wanted);
};

export const listTags = action({
  summary: "Tags of a build, in the order they were added",
  query: { search: text },
  paged: true,
  answer: tag,
  async run(ctx, ask) {
    const build = await buildOf(ctx, ask);
    const { items, page } = pageOf(build.tags.filter(containing(ask.query.search ?? "")), ask.page.number);
    return paged(await shown(ctx, build, items), page);
  },
});

export const tagBuild = action({
  summary: "Adds tags to a build; answers those that are new",
  body: { tags: texts },
  whole: "tags",
  many: true,
  answer: tag,
  target: async (ctx, asked) => checkMayChange(ctx, asked.exchange, await buildOf(ctx, asked)),
  async run(ctx, ask) {
    const ref = await buildRefOf(ctx, ask);
    const { build, tags } = await ctx.builds.tagBuild({ ref, names: ask.body.tags ?? [] });
    return shown(ctx, build!, tags);
  },
});

export const getTag = action({
  summary: "A tag of a build",
  answer: tag,
  async run(ctx, ask) {
    const build = await buildOf(ctx, ask);
    const found = build.tags.find(({ name }) => name === ask.params.name);
    if (!found) throw notFound();
    return (await shown(ctx, build, [found]))[0];
  },
});

export const untagBuild = action({
  summary: "Removes a tag from a build",
  async run(ctx, ask) {
    await ctx.builds.untagBuild({ ref: await buildRefOf(ctx, ask), name: ask.params.name });
  },
});
