import { collaboratorJson, collaboratorSchema } from "@ci/rest/collaborator";
import { acceptedJson, acceptedSchema, inviteJson, inviteSchema } from "@ci/rest/invite";
import { namespaceFor, namespaceOf } from "../auth/targets.js";
import { pageOfRecords } from "../backend/record-page.js";
import { relationsFor } from "../backend/relations.js";
import type { Context } from "../context.js";
import { action, type Input } from "../http/row.js";
import { limitedText } from "../http/shape.js";

export const listCollaborators = action({
  summary: "Collaborators of a namespace's tree",
  paged: true,
  returns: collaboratorSchema,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const { collaborators, page } = await ctx.namespaces.listCollaborators({ namespaceId, page: input.page });
    return pageOfRecords(ctx, collaborators, collaboratorJson, page);
  },
});

export const removeCollaborator = action({
  summary: "Removes a collaborator from a namespace's tree, by username or e-mail address",
  changes: "collaborator",
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    await ctx.namespaces.removeCollaborator({ namespaceId, handle: input.params.user });
  },
});

export const leaveNamespace = action({
  summary: "Ends your own collaboration on a namespace's tree",
  changes: "collaborator",
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    await ctx.namespaces.leaveNamespace({ namespaceId });
  },
});

async function invitePage(ctx: Context, { page }: Pick<Input, "page">, namespaceId?: number) {
  const { invites, page: info } = await ctx.namespaces.listInvites({ namespaceId, page });
  return pageOfRecords(ctx, invites, inviteJson, info);
}

export const listNamespaceInvites = action({
  summary: "Open invites to a namespace's tree",
  paged: true,
  returns: inviteSchema,
  run: async (ctx, input) => invitePage(ctx, input, (await namespaceOf(ctx, input)).id),
});

export const sendInvite = action({
  summary: "Invites a user to a namespace's tree",
  changes: "invite",
  body: { handle: limitedText("text").describe("Username or e-mail address of the user") },
  required: ["handle"],
  refuses: ["collaborators"],
  returns: inviteSchema,
  target: namespaceFor("own"),
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const invite = (await ctx.namespaces.sendInvite({ namespaceId, handle: input.body.handle ?? "" })).invite!;
    return inviteJson(invite, await relationsFor(ctx, [invite]));
  },
});

export const listInvites = action({
  summary: "Open invites to the caller",
  paged: true,
  returns: inviteSchema,
  run: (ctx, input) => invitePage(ctx, input),
});

export const acceptInvite = action({
  summary: "Accepts an invite",
  changes: "invite",
  returns: acceptedSchema,
  async run(ctx, { params: { id } }) {
    const { invite, root } = await ctx.namespaces.acceptInvite({ id });
    return acceptedJson(invite!, root!, await relationsFor(ctx, [invite!], { namespaces: [root!] }));
  },
});

export const deleteInvite = action({
  summary: "Rejects or withdraws an invite",
  changes: "invite",
  run: ({ namespaces }, { params: { id } }) => namespaces.deleteInvite({ id }),
});
