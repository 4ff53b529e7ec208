import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { namespaceJson, namespaceSchema } from "@ci/rest/namespace";
import { namespaceFor, namespaceOf } from "../auth/targets.js";
import { relationsFor } from "../backend/relations.js";
import type { Context } from "../context.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { search, text } from "../http/shape.js";

/** Namespaces as whole records, with their newest builds, which take one call for all of them. */
async function toJson(ctx: Context, namespaces: readonly Namespace[]) {
  const namespaceIds = namespaces.map(({ id }) => id);
  const { builds: latest } =
    namespaceIds.length > 0 ? await ctx.builds.getLatestBuilds({ namespaceIds }) : { builds: [] };
  const relations = await relationsFor(ctx, [], { namespaces, latest });
  return namespaces.map((namespace) => namespaceJson(namespace, relations));
}

const description = text.describe("Description of the namespace");
const visibility = text.describe("Who can see the namespace: `private`, `internal` or `public`");

export const listNamespaces = action({
  summary: "Namespaces where the caller is a member, by path",
  query: search,
  paged: true,
  returns: namespaceSchema,
  async run(ctx, { query: { search = "" }, page }) {
    const { namespaces, page: info } = await ctx.namespaces.listNamespaces({ search, page });
    return paged(await toJson(ctx, namespaces), info);
  },
});

export const createNamespace = action({
  summary: "Creates a namespace",
  changes: "namespace",
  body: {
    parent: text.describe("Path of the parent; none for a new tree"),
    name: text.describe("Name of the namespace"),
    description,
    visibility,
  },
  required: ["name"],
  refuses: ["namespaces"],
  returns: namespaceSchema,
  async run(ctx, { body: { parent = "", name = "", description = "", visibility } }) {
    const request = { parent, name, description, visibility: visibility || undefined };
    const { namespace } = await ctx.namespaces.createNamespace(request);
    return (await toJson(ctx, [namespace!]))[0];
  },
});

export const getNamespace = action({
  summary: "A namespace",
  returns: namespaceSchema,
  run: async (ctx, input) => (await toJson(ctx, [await namespaceOf(ctx, input)]))[0],
});

export const updateNamespace = action({
  summary: "Changes a namespace",
  changes: "namespace",
  body: { description, visibility },
  returns: namespaceSchema,
  target: namespaceFor("own"),
  async run(ctx, input) {
    const { description, visibility } = input.body;
    const { id } = await namespaceOf(ctx, input);
    const request = { id, description, visibility: visibility || undefined };
    const { namespace } = await ctx.namespaces.updateNamespace(request);
    // An event tells us too, but the next request may arrive earlier.
    ctx.namespaceCache.forget();
    return (await toJson(ctx, [namespace!]))[0];
  },
});

export const deleteNamespace = action({
  summary: "Deletes a namespace and everything below it",
  changes: "namespace",
  async run(ctx, input) {
    const { id } = await namespaceOf(ctx, input);
    await ctx.namespaces.deleteNamespace({ id });
    ctx.namespaceCache.forget();
  },
});

export const listChildNamespaces = action({
  summary: "Direct children of a namespace, by path",
  query: search,
  paged: true,
  returns: namespaceSchema,
  target: namespaceOf,
  async run(ctx, input) {
    const { id: parentId } = await namespaceOf(ctx, input);
    const { search = "" } = input.query;
    const { namespaces, page } = await ctx.namespaces.listNamespaces({ parentId, search, page: input.page });
    return paged(await toJson(ctx, namespaces), page);
  },
});
