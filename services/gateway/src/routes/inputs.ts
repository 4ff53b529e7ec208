import type { ListRemainingResponse } from "@ci/proto/namespaces/v1/resources";
import { buildKeyJson } from "@ci/rest/key";
import { buildObjectJson } from "@ci/rest/object";
import { buildVariableJson } from "@ci/rest/variable";
import type { Context } from "../context.js";
import { known } from "../backend/relations.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { buildKey, buildObject, buildVariable } from "../schemas.js";
import { text } from "../http/shape.js";
import { buildRefOf } from "../auth/targets.js";

const query = { search: text };

/** Answers an id if the record that a build has a copy of is still there: only then it has an address. */
async function remaining(
  { inputs }: Context,
  kind: keyof ListRemainingResponse,
  ids: readonly (number | undefined)[],
): Promise<(id: number | undefined) => number | undefined> {
  const copied = ids.filter((id) => id !== undefined);
  if (copied.length === 0) return () => undefined;
  const found = await inputs.listRemaining({ objectIds: [], variableIds: [], keyIds: [], [kind]: copied });
  const there = new Set<number | undefined>(found[kind]);
  return (id) => (there.has(id) ? id : undefined);
}

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
    const still = await remaining(
      ctx,
      "objectIds",
      found.objects.map(({ objectId }) => objectId),
    );
    const items = found.objects.map((one) => buildObjectJson({ ...one, objectId: still(one.objectId) }, build, all));
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
    const still = await remaining(
      ctx,
      "variableIds",
      found.variables.map(({ variableId }) => variableId),
    );
    const items = found.variables.map((one) =>
      buildVariableJson({ ...one, variableId: still(one.variableId) }, build, all),
    );
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
    const still = await remaining(
      ctx,
      "keyIds",
      found.keys.map(({ keyId }) => keyId),
    );
    const items = found.keys.map((one) => buildKeyJson({ ...one, keyId: still(one.keyId) }, build, all));
    return paged(items, found.page);
  },
});
