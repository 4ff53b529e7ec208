import { tokenJson } from "@ci/rest/token";
import { userJson } from "@ci/rest/user";
import type { Context } from "../context.js";
import { known } from "../backend/relations.js";
import { paged } from "../http/page.js";
import { type Ask, action } from "../http/row.js";
import { account, newToken, token } from "../schemas.js";
import { flag, moment, text, type Values } from "../http/shape.js";

export const me = action({
  summary: "The user of the token",
  answer: account,
  run: (_ctx, { exchange }) => userJson(exchange.session!.user),
});

export const listUsers = action({
  summary: "All users, by username",
  query: { search: text },
  paged: true,
  answer: account,
  async run({ accounts }, { query, page }) {
    const found = await accounts.listUsers({ search: query.search ?? "", page });
    return paged(found.users.map(userJson), found.page);
  },
});

export const createUser = action({
  summary: "Creates a user",
  body: { username: text, email: text, admin: flag },
  answer: account,
  async run({ accounts }, { body: { username = "", email = "", admin = false } }) {
    const { user } = await accounts.createUser({ username, email, admin });
    return userJson(user!);
  },
});

export const deleteUser = action({
  summary: "Deletes a user for good",
  refuses: ["username"],
  async run({ accounts, people, sessions }, { params: { username } }) {
    await accounts.deleteUser({ username });
    // The news of it comes as an event too, but the next request may be faster.
    sessions.forget();
    people.forget();
  },
});

export const listTokens = action({
  summary: "The tokens of the caller",
  paged: true,
  answer: token,
  async run(ctx, { page }) {
    const { tokens, page: info } = await ctx.accounts.listTokens({ page });
    const all = await known(ctx, tokens);
    const items = tokens.map((one) => tokenJson(one, all));
    return paged(items, info);
  },
});

const tokenFields = { name: text, scope: text, expires_at: moment };

async function create(ctx: Context, body: Values<typeof tokenFields>, username?: string) {
  const { name = "", scope = "", expires_at: expiresAt } = body;
  const { token, secret } = await ctx.accounts.createToken({ username, name, scope, expiresAt });
  return tokenJson(token!, await known(ctx, [token!]), secret);
}

export const createToken = action({
  summary: "Creates a token for the caller; its secret is shown this once",
  body: tokenFields,
  answer: newToken,
  run: (ctx, { body }) => create(ctx, body),
});

export const createTokenFor = action({
  summary: "Creates a token for another user; its secret is shown this once",
  body: tokenFields,
  answer: newToken,
  target: ({ accounts }, { params }: Pick<Ask, "params">) =>
    accounts.getUser({ by: { $case: "username", value: params.username } }),
  run: (ctx, { body, params }) => create(ctx, body, params.username),
});

export const deleteToken = action({
  summary: "Ends a token",
  async run({ accounts, sessions }, { params: { id } }) {
    await accounts.deleteToken({ id });
    sessions.forget();
  },
});
