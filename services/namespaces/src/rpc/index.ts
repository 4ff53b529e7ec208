import type { AccountHandlers, Context, NamespaceHandlers } from "../context.js";
import { acceptInvite } from "./accept-invite.js";
import { allow } from "./allow.js";
import { authenticate } from "./authenticate.js";
import { connectIdentity } from "./connect-identity.js";
import { createNamespace } from "./create-namespace.js";
import { createSession } from "./create-session.js";
import { createSignInLink } from "./create-sign-in-link.js";
import { createToken } from "./create-token.js";
import { createUser } from "./create-user.js";
import { deleteIdentity } from "./delete-identity.js";
import { deleteInvite } from "./delete-invite.js";
import { deleteNamespace } from "./delete-namespace.js";
import { deleteSession } from "./delete-session.js";
import { deleteToken } from "./delete-token.js";
import { deleteUser } from "./delete-user.js";
import { enterNamespace } from "./enter-namespace.js";
import { getNamespace } from "./get-namespace.js";
import { getUser } from "./get-user.js";
import { leaveNamespace } from "./leave-namespace.js";
import { listAllTokens } from "./list-all-tokens.js";
import { listCollaborators } from "./list-collaborators.js";
import { listDeletions } from "./list-deletions.js";
import { listIdentities } from "./list-identities.js";
import { listInvites } from "./list-invites.js";
import { listMemberships } from "./list-memberships.js";
import { listNamespaces } from "./list-namespaces.js";
import { listSessions } from "./list-sessions.js";
import { listTokens } from "./list-tokens.js";
import { listUsers } from "./list-users.js";
import { removeCollaborator } from "./remove-collaborator.js";
import { resolve } from "./resolve.js";
import { sendInvite } from "./send-invite.js";
import { updateNamespace } from "./update-namespace.js";

export const accountHandlers = (ctx: Context): AccountHandlers => ({
  authenticate: authenticate(ctx),
  resolve: resolve(ctx),
  allow: allow(ctx),
  listMemberships: listMemberships(ctx),
  listDeletions: listDeletions(ctx),
  getUser: getUser(ctx),
  listUsers: listUsers(ctx),
  createUser: createUser(ctx),
  deleteUser: deleteUser(ctx),
  listTokens: listTokens(ctx),
  listAllTokens: listAllTokens(ctx),
  createToken: createToken(ctx),
  deleteToken: deleteToken(ctx),
  createSession: createSession(ctx),
  listSessions: listSessions(ctx),
  deleteSession: deleteSession(ctx),
  createSignInLink: createSignInLink(ctx),
  connectIdentity: connectIdentity(ctx),
  listIdentities: listIdentities(ctx),
  deleteIdentity: deleteIdentity(ctx),
});

export const namespaceHandlers = (ctx: Context): NamespaceHandlers => ({
  createNamespace: createNamespace(ctx),
  getNamespace: getNamespace(ctx),
  enterNamespace: enterNamespace(ctx),
  listNamespaces: listNamespaces(ctx),
  updateNamespace: updateNamespace(ctx),
  deleteNamespace: deleteNamespace(ctx),
  listCollaborators: listCollaborators(ctx),
  removeCollaborator: removeCollaborator(ctx),
  leaveNamespace: leaveNamespace(ctx),
  sendInvite: sendInvite(ctx),
  listInvites: listInvites(ctx),
  acceptInvite: acceptInvite(ctx),
  deleteInvite: deleteInvite(ctx),
});
