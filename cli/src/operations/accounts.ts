import { flag, one, text } from "../command.js";
import { del, get, type Operations, post, resource } from "./operation.js";

const user = one("Username");
const tokenColumns = ["id", "name", "scope", "expires_at", "last_used_at"];
const tokens = resource({ one: "a token", many: "your tokens", path: "/tokens", field: "name", columns: tokenColumns });
const resources = "build, invite, image, namespace, object, variable, key, cron, webhook and, for administrators, user";
const tokenFields = {
  scope: text(`Permissions, such as 'build:read,write image:read'. Resources are ${resources}`, { required: true }),
  expires_at: text("When it expires, such as 2027-01-31T00:00:00Z; default: never"),
};
const name = one("Name");
const args = { id: one("Id") };

/** Users, tokens, and the pages of administrators. */
export const accounts = {
  "tokens list": tokens.list(),
  "tokens all": get("/users/-/tokens", "List the tokens of all users, newest first", {
    options: { user: text("Only tokens of this user"), search: text("Only those whose name contains this text") },
    columns: ["id", "user", ...tokenColumns.slice(1)],
    names: "id",
  }),
  "tokens create": {
    ...tokens.create({ name }, tokenFields, { names: "secret" }),
    about: "Create a token and show its secret once",
  },
  "tokens delete": tokens.remove(),

  "sessions list": get("/user/sessions", "List the browsers where you are signed in, newest first", {
    columns: ["id", "user_agent", "address", "created_at", "last_used_at", "expires_at"],
    names: "id",
  }),
  "sessions link": post("/user/sign-in-links", "Create a sign-in link that works once, within ten minutes", {
    names: "url",
  }),
  "sessions delete": del("/user/sessions/{id}", "Sign a browser out", { args }),

  "identities list": get("/user/identities", "List your identities at OpenID Connect providers", {
    columns: ["id", "issuer", "subject", "name", "created_at", "last_used_at"],
    names: "id",
  }),
  "identities delete": del(
    "/user/identities/{id}",
    "Disconnect an identity: you can no longer sign in with it, and its sessions end",
    { args },
  ),

  "users list": get("/users", "List users, by username", {
    options: { search: text("Only users whose name or e-mail address contains this text") },
    columns: ["username", "email", "admin", "created_at"],
    names: "username",
  }),
  "users create": post("/users", "Create a user", {
    args: { username: user, email: one("E-mail address") },
    options: { admin: flag("Make the user an administrator") },
    names: "username",
  }),
  "users token": post("/users/{username}/tokens", "Create a token for a user and show its secret once", {
    args: { username: user, name },
    options: tokenFields,
    names: "secret",
  }),
  "users delete": del("/users/{username}", "Delete a user for good", { args: { username: user }, asks: true }),
  runners: get("/runners", "List runners and their busy slots", {
    columns: ["id", "drivers", "busy", "places", "active", "seen_at"],
    names: "id",
    only: {
      field: "active",
      all: "Also those of the last hour that no longer report, such as earlier starts",
      others: (count) => `${count} more reported in the last hour. Add --all to see them`,
    },
  }),
  audit: get("/audit", "List who tried to change what, newest first", {
    columns: ["created_at", "username", "action", "kind", "path", "outcome", "status"],
    names: "id",
  }),
} satisfies Operations;
