import { flag, one, text } from "../command.js";
import { type Operations, resource } from "./operation.js";

const user = one("Username");
const tokenColumns = ["id", "name", "scope", "expires_at", "last_used_at"];
const tokens = resource({ one: "a token", many: "your tokens", path: "/tokens", field: "name", columns: tokenColumns });
const tokenFields = {
  scope: text("Permissions, such as 'build:read,write image:read'", { required: true }),
  expires_at: text("When it expires, such as 2027-01-31T00:00:00Z; default: never"),
};
const name = one("Name");

/** Users, tokens, and the pages of administrators. */
export const accounts = {
  "tokens list": tokens.list(),
  "tokens all": {
    ...{ about: "List the tokens of all users, newest first", method: "GET", path: "/users/-/tokens", names: "id" },
    columns: ["id", "user", ...tokenColumns.slice(1)],
    options: { user: text("Only tokens of this user"), search: text("Only those whose name contains this text") },
  },
  "tokens create": tokens.create({ name }, tokenFields, {
    ...{ about: "Create a token and show its secret once", names: "secret" },
  }),
  "tokens delete": tokens.remove(),

  "sessions list": {
    ...{ about: "List the browsers where you are signed in, newest first", method: "GET", path: "/user/sessions" },
    ...{ columns: ["id", "user_agent", "address", "created_at", "last_used_at", "expires_at"], names: "id" },
  },
  "sessions link": {
    ...{ about: "Create a sign-in link that works once, within ten minutes", method: "POST" },
    ...{ path: "/user/sign-in-links", names: "url" },
  },
  "sessions delete": {
    ...{ about: "Sign a browser out", method: "DELETE", path: "/user/sessions/{id}", args: { id: one("Id") } },
  },

  "identities list": {
    ...{ about: "List your identities at OpenID Connect providers", method: "GET", path: "/user/identities" },
    ...{ columns: ["id", "issuer", "subject", "name", "created_at", "last_used_at"], names: "id" },
  },
  "identities delete": {
    ...{ about: "Disconnect an identity: you can no longer sign in with it, and its sessions end", method: "DELETE" },
    ...{ path: "/user/identities/{id}", args: { id: one("Id") } },
  },

  "users list": {
    ...{ about: "List users, by username", method: "GET", path: "/users", names: "username" },
    ...{ columns: ["username", "email", "admin", "created_at"] },
    options: { search: text("Only users whose name or e-mail address contains this text") },
  },
  "users create": {
    ...{ about: "Create a user", method: "POST", path: "/users", names: "username" },
    args: { username: user, email: one("E-mail address") },
    options: { admin: flag("Make the user an administrator") },
  },
  "users token": {
    ...{ about: "Create a token for a user and show its secret once", method: "POST", names: "secret" },
    ...{ path: "/users/{username}/tokens", args: { username: user, name }, options: tokenFields },
  },
  "users delete": {
    ...{ about: "Delete a user for good", method: "DELETE", path: "/users/{username}", args: { username: user } },
    asks: true,
  },
  runners: {
    ...{ about: "List runners and their busy slots", method: "GET", path: "/runners", names: "id" },
    columns: ["id", "drivers", "busy", "places", "active", "seen_at"],
  },
  audit: {
    ...{ about: "List who tried to change what, newest first", method: "GET", path: "/audit", names: "id" },
    columns: ["created_at", "username", "action", "kind", "path", "outcome", "status"],
  },
} satisfies Operations;
