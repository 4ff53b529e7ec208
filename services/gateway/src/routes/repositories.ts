import { repositoryJson } from "@ci/rest/repository";
import { buildUrl } from "@ci/rest/urls";
import { known } from "../backend/relations.js";
import type { Exchange } from "../http/exchange.js";
import { readAll } from "../content/incoming.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { hooked, repository } from "../schemas.js";
import { text } from "../http/shape.js";
import { namespaceFor, namespaceOf } from "../auth/targets.js";

export const listRepositories = action({
  summary: "Repositories of a namespace, without their secrets",
  paged: true,
  answer: repository,
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    const found = await ctx.repositories.listRepositories({ namespaceId, page: ask.page });
    const all = await known(ctx, found.repositories);
    const items = found.repositories.map((one) => repositoryJson(one, all));
    return paged(items, found.page);
  },
});

export const createRepository = action({
  summary: "Lets pushes and requests of a repository make builds",
  body: { provider: text, url: text, secret: text, access_token: text },
  answer: repository,
  target: namespaceFor("write"),
  async run(ctx, ask) {
    const { provider = "", url = "", secret = "", access_token: accessToken } = ask.body;
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    const wish = { namespaceId, provider, url, secret, accessToken };
    const made = (await ctx.repositories.createRepository(wish)).repository!;
    return repositoryJson(made, await known(ctx, [made]));
  },
});

export const deleteRepository = action({
  summary: "Deletes a repository: its hook is known no more",
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    await ctx.repositories.deleteRepository({ namespaceId, id: ask.params.id });
  },
});

/** What providers tell about a request: how it is signed, what it is about, and what it is called. */
function headersOf({ request: { headers } }: Exchange): Record<string, string> {
  const told = /^(x-.*|content-type|idempotency-key)$/;
  const texts = Object.entries(headers).filter(([name, value]) => told.test(name) && typeof value === "string");
  return Object.fromEntries(texts) as Record<string, string>;
}

export const receiveHook = action({
  summary: "What a provider tells of a repository; signed by the secret of its hook",
  raw: true,
  answer: hooked,
  async run(ctx, { params: { provider, id }, exchange }) {
    const body = await readAll(exchange.request, ctx.config.hookBytes);
    const { builds } = await ctx.repositories.receiveHook({ provider, id, headers: headersOf(exchange), body });
    const all = await known(ctx, builds);
    return { builds: builds.map((build) => buildUrl(build, all)) };
  },
});
