import { newTokenJson, newTokenSchema, tokenJson, tokenSchema } from "@ci/rest/token";
import { accountSchema, userJson } from "@ci/rest/user";
import { pageOfRecords } from "../backend/record-page.js";
import { relationsFor } from "../backend/relations.js";
import type { Context } from "../context.js";
import { paged } from "../http/page.js";
import { type Address, action } from "../http/row.js";
import { flag, limitedText, moment, text, type Values } from "../http/shape.js";

export const getCurrentUser = action({
  summary: "The user of the token",
  returns: accountSchema,
  run: (_ctx, { exchange }) => userJson(exchange.session!.user),
});

export const listUsers = action({
  summary: "All users, by username",
  query: { search: limitedText("text").describe("Only users whose username contains this text, whatever its case") },
  paged: true,
  returns: accountSchema,
  async run({ accounts }, { query, page }) {
    const { users, page: info } = await accounts.listUsers({ search: query.search ?? "", page });
    return paged(users.map(userJson), info);
  },
});

export const createUser = action({
  summary: "Creates a user",
  changes: "user",
  body: {
    username: text.describe("Name of the user"),
    email: text.describe("E-mail address of the user"),
    admin: flag.describe("Whether the user administers this installation; false if missing"),
  },
  required: ["username", "email"],
  returns: accountSchema,
  async run({ accounts }, { body: { username = "", email = "", admin = false } }) {
    const { user } = await accounts.createUser({ username, email, admin });
    return userJson(user!);
  },
});

export const deleteUser = action({
  summary: "Deletes a user for good",
  changes: "user",
  refuses: ["username"],
  async run({ accounts, users, sessions }, { params: { username } }) {
    await accounts.deleteUser({ username });
    // An event tells us too, but the next request may arrive earlier.
    users.forget();
    await sessions.expire();
  },
});

export const listTokens = action({
  summary: "The caller's tokens",
  paged: true,
  returns: tokenSchema,
  async run(ctx, { page }) {
    const { tokens, page: info } = await ctx.accounts.listTokens({ page });
    return pageOfRecords(ctx, tokens, tokenJson, info);
  },
});

export const listAllTokens = action({
  summary: "Tokens of all users, newest first; for administrators",
  query: {
    user: text.describe("Only tokens of this user"),
    search: limitedText("text").describe("Only tokens whose name contains this text"),
  },
  paged: true,
  returns: tokenSchema,
  async run(ctx, { query: { user: username, search = "" }, page }) {
    const { tokens, page: info } = await ctx.accounts.listAllTokens({ username, search, page });
    return pageOfRecords(ctx, tokens, tokenJson, info);
  },
});

const tokenFields = {
  name: text.describe("Name of the token"),
  scope: limitedText("scope").describe("Permissions of the token, such as `build:read,write image:read`"),
  expires_at: moment.describe("When the token expires; never if missing"),
};

async function create(ctx: Context, body: Values<typeof tokenFields>, username?: string) {
  const { name = "", scope = "", expires_at: expiresAt } = body;
  const { token, secret } = await ctx.accounts.createToken({ username, name, scope, expiresAt });
  return newTokenJson(token!, await relationsFor(ctx, [token!]), secret);
}

export const createToken = action({
  summary: "Creates a token for the caller; its secret is returned only now",
  changes: "token",
  body: tokenFields,
  required: ["name", "scope"],
  refuses: ["tokens"],
  returns: newTokenSchema,
  secret: true,
  run: (ctx, { body }) => create(ctx, body),
});

export const createUserToken = action({
  summary: "Creates a token for another user; its secret is returned only now",
  changes: "token",
  body: tokenFields,
  required: ["name", "scope"],
  refuses: ["tokens"],
  returns: newTokenSchema,
  secret: true,
  target: ({ accounts }, { params }: Pick<Address, "params">) =>
    accounts.getUser({ by: { $case: "username", value: params.username } }),
  run: (ctx, { body, params }) => create(ctx, body, params.username),
});

export const deleteToken = action({
  summary: "Deletes a token: it stops working",
  changes: "token",
  async run({ accounts, sessions }, { params: { id } }) {
    await accounts.deleteToken({ id });
    await sessions.expire();
  },
});
