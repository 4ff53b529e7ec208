import { buildKeyJson } from "@ci/rest/key";
import { buildObjectJson } from "@ci/rest/object";
import { buildVariableJson } from "@ci/rest/variable";
import { known } from "../embed.js";
import { paged } from "../page.js";
import { action } from "../row.js";
import { buildKey, buildObject, buildVariable } from "../schemas.js";
import { text } from "../shape.js";
import { buildRefOf } from "../targets.js";

const query = { search: text };

export const listBuildObjects = action({
  summary: "Objects that a build's manifest lists, in its order",
  query,
  paged: true,
  answer: buildObject,
  async run(ctx, ask) {
    const { search = "" } = ask.query;
    const found = await ctx.builds.listBuildObjects({ ref: await buildRefOf(ctx, ask), search, page: ask.page });
    const build = found.build!;
    const all = await known(ctx, [build]);
    const items = found.objects.map((one) => buildObjectJson(one, build, all));
    return paged(items, found.page);
  },
});

export const listBuildVariables = action({
  summary: "Variables as they were copied into a build, by key",
  query,
  paged: true,
  answer: buildVariable,
  async run(ctx, ask) {
    const { search = "" } = ask.query;
    const found = await ctx.builds.listBuildVariables({ ref: await buildRefOf(ctx, ask), search, page: ask.page });
    const build = found.build!;
    const all = await known(ctx, [build]);
    const items = found.variables.map((one) => buildVariableJson(one, build, all));
    return paged(items, found.page);
  },
});

export const listBuildKeys = action({
  summary: "Keys as they were copied into a build, by name",
  query,
  paged: true,
  answer: buildKey,
  async run(ctx, ask) {
    const { search = "" } = ask.query;
    const found = await ctx.builds.listBuildKeys({ ref: await buildRefOf(ctx, ask), search, page: ask.page });
    const build = found.build!;
    const all = await known(ctx, [build]);
    const items = found.keys.map((one) => buildKeyJson(one, build, all));
    return paged(items, found.page);
  },
});
