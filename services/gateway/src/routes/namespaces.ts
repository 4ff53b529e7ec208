import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { collaboratorJson } from "@ci/rest/collaborator";
import { acceptedJson, inviteJson } from "@ci/rest/invite";
import { namespaceJson } from "@ci/rest/namespace";
import type { Context } from "../context.js";
import { known } from "../backend/relations.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { accepted, collaborator, invite, namespace } from "../schemas.js";
import { text } from "../http/shape.js";
import { namespaceFor, namespaceOf } from "../auth/targets.js";

/** Namespaces as whole records: with their newest builds, asked for once for all of them. */
async function shown(ctx: Context, namespaces: readonly Namespace[]) {
  const namespaceIds = namespaces.map(({ id }) => id);
  const { builds: latest } =
    namespaceIds.length > 0 ? await ctx.builds.getLatestBuilds({ namespaceIds }) : { builds: [] };
  const all = await known(ctx, [], { namespaces, latest });
  return namespaces.map((one) => namespaceJson(one, all));
}

export const listNamespaces = action({
  summary: "Namespaces where the caller is a member, by path",
  query: { search: text },
  paged: true,
  answer: namespace,
  async run(ctx, { query: { search = "" }, page }) {
    const found = await ctx.namespaces.listNamespaces({ search, page });
    return paged(await shown(ctx, found.namespaces), found.page);
  },
});

export const createNamespace = action({
  summary: "Creates a namespace",
  body: { parent: text, name: text, description: text, visibility: text },
  answer: namespace,
  async run(ctx, { body: { parent = "", name = "", description = "", visibility } }) {
    const made = await ctx.namespaces.createNamespace({
      parent,
      name,
      description,
      visibility: visibility || undefined,
    });
    return (await shown(ctx, [made.namespace!]))[0];
  },
});

export const getNamespace = action({
  summary: "A namespace",
  answer: namespace,
  run: async (ctx, ask) => (await shown(ctx, [await namespaceOf(ctx, ask)]))[0],
});

export const updateNamespace = action({
  summary: "Changes a namespace",
  body: { description: text, visibility: text },
  answer: namespace,
  target: namespaceFor("own"),
  async run(ctx, ask) {
    const { description, visibility } = ask.body;
    const { id } = await namespaceOf(ctx, ask);
    const changed = await ctx.namespaces.updateNamespace({ id, description, visibility: visibility || undefined });
    // The news of it comes as an event too, but the next request may be faster.
    ctx.places.forget();
    return (await shown(ctx, [changed.namespace!]))[0];
  },
});

export const deleteNamespace = action({
  summary: "Deletes a namespace and all below it",
  async run(ctx, ask) {
    const { id } = await namespaceOf(ctx, ask);
    await ctx.namespaces.deleteNamespace({ id });
    ctx.places.forget();
  },
});

export const listChildren = action({
  summary: "Direct children of a namespace, by path",
  query: { search: text },
  paged: true,
  answer: namespace,
  async run(ctx, ask) {
    const { id: parentId } = await namespaceOf(ctx, ask);
    const found = await ctx.namespaces.listNamespaces({ parentId, search: ask.query.search ?? "", page: ask.page });
    return paged(await shown(ctx, found.namespaces), found.page);
  },
});

export const listCollaborators = action({
  summary: "Collaborators of a namespace's tree",
  paged: true,
  answer: collaborator,
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    const found = await ctx.namespaces.listCollaborators({ namespaceId, page: ask.page });
    const all = await known(ctx, found.collaborators);
    const items = found.collaborators.map((one) => collaboratorJson(one, all));
    return paged(items, found.page);
  },
});

export const removeCollaborator = action({
  summary: "Removes a collaborator from a namespace's tree, by username or e-mail",
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    await ctx.namespaces.removeCollaborator({ namespaceId, handle: ask.params.user });
  },
});

export const listInvitesOf = action({
  summary: "Open invites to a namespace's tree",
  paged: true,
  answer: invite,
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    const found = await ctx.namespaces.listInvites({ namespaceId, page: ask.page });
    const all = await known(ctx, found.invites);
    const items = found.invites.map((one) => inviteJson(one, all));
    return paged(items, found.page);
  },
});

export const sendInvite = action({
  summary: "Invites a user to a namespace's tree",
  body: { handle: text },
  answer: invite,
  target: namespaceFor("own"),
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    const sent = (await ctx.namespaces.sendInvite({ namespaceId, handle: ask.body.handle ?? "" })).invite!;
    return inviteJson(sent, await known(ctx, [sent]));
  },
});

export const listInvites = action({
  summary: "Open invites addressed to the caller",
  paged: true,
  answer: invite,
  async run(ctx, { page }) {
    const found = await ctx.namespaces.listInvites({ page });
    const all = await known(ctx, found.invites);
    const items = found.invites.map((one) => inviteJson(one, all));
    return paged(items, found.page);
  },
});

export const acceptInvite = action({
  summary: "Accepts an invite",
  answer: accepted,
  async run(ctx, { params: { id } }) {
    const answered = await ctx.namespaces.acceptInvite({ id });
    const root = answered.root!;
    return acceptedJson(answered.invite!, root, await known(ctx, [answered.invite!], { namespaces: [root] }));
  },
});

export const deleteInvite = action({
  summary: "Rejects or withdraws an invite",
  async run(ctx, { params: { id } }) {
    await ctx.namespaces.deleteInvite({ id });
  },
});
