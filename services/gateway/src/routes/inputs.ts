import type { ListRemainingResponse } from "@ci/proto/namespaces/v1/resources";
import { buildKeyJson, buildKeySchema } from "@ci/rest/key";
import { buildObjectJson, buildObjectSchema } from "@ci/rest/object";
import { buildVariableJson, buildVariableSchema } from "@ci/rest/variable";
import { buildRefOf, visibleBuild } from "../auth/targets.js";
import { relationsFor } from "../backend/relations.js";
import type { Context } from "../context.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { search } from "../http/shape.js";

/** Returns a filter of ids: a record that a build has a copy of has an address only while it exists. */
async function existing(
  { inputs }: Context,
  kind: keyof ListRemainingResponse,
  copiedIds: readonly (number | undefined)[],
): Promise<(id: number | undefined) => number | undefined> {
  const ids = copiedIds.filter((id) => id !== undefined);
  if (ids.length === 0) return () => undefined;
  const remaining = await inputs.listRemaining({ objectIds: [], variableIds: [], keyIds: [], [kind]: ids });
  const remainingIds = new Set<number | undefined>(remaining[kind]);
  return (id) => (remainingIds.has(id) ? id : undefined);
}

export const listBuildObjects = action({
  summary: "Objects that a build's manifest lists, in its order",
  query: search,
  paged: true,
  returns: buildObjectSchema,
  target: visibleBuild,
  async run(ctx, input) {
    const { search = "" } = input.query;
    const ref = await buildRefOf(ctx, input);
    const { build, objects, page } = await ctx.builds.listBuildObjects({ ref, search, page: input.page });
    const relations = await relationsFor(ctx, [build!]);
    const ids = objects.map(({ objectId }) => objectId);
    const ifExists = await existing(ctx, "objectIds", ids);
    const items = objects.map((object) =>
      buildObjectJson({ ...object, objectId: ifExists(object.objectId) }, build!, relations),
    );
    return paged(items, page);
  },
});

export const listBuildVariables = action({
  summary: "Variables as they were copied into a build, by key",
  query: search,
  paged: true,
  returns: buildVariableSchema,
  target: visibleBuild,
  async run(ctx, input) {
    const { search = "" } = input.query;
    const ref = await buildRefOf(ctx, input);
    const { build, variables, page } = await ctx.builds.listBuildVariables({ ref, search, page: input.page });
    const relations = await relationsFor(ctx, [build!]);
    const ids = variables.map(({ variableId }) => variableId);
    const ifExists = await existing(ctx, "variableIds", ids);
    const items = variables.map((variable) =>
      buildVariableJson({ ...variable, variableId: ifExists(variable.variableId) }, build!, relations),
    );
    return paged(items, page);
  },
});

export const listBuildKeys = action({
  summary: "Keys as they were copied into a build, by name",
  query: search,
  paged: true,
  returns: buildKeySchema,
  target: visibleBuild,
  async run(ctx, input) {
    const { search = "" } = input.query;
    const ref = await buildRefOf(ctx, input);
    const { build, keys, page } = await ctx.builds.listBuildKeys({ ref, search, page: input.page });
    const relations = await relationsFor(ctx, [build!]);
    const ids = keys.map(({ keyId }) => keyId);
    const ifExists = await existing(ctx, "keyIds", ids);
    const items = keys.map((key) => buildKeyJson({ ...key, keyId: ifExists(key.keyId) }, build!, relations));
    return paged(items, page);
  },
});
