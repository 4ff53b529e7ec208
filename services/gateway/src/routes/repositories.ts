import { networkOf } from "@ci/kit/net/guard";
import { hookedSchema, repositoryJson, repositorySchema } from "@ci/rest/repository";
import { buildUrl } from "@ci/rest/urls";
import { clientAddress } from "../audit/address.js";
import { namespaceFor, namespaceOf } from "../auth/targets.js";
import { relationsFor } from "../backend/relations.js";
import { defaultPace, readAll } from "../content/incoming.js";
import type { Context } from "../context.js";
import { disconnected, type Exchange } from "../http/exchange.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { text } from "../http/shape.js";

export const listRepositories = action({
  summary: "Repositories of a namespace, without their secrets",
  paged: true,
  returns: repositorySchema,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const { repositories, page } = await ctx.repositories.listRepositories({ namespaceId, page: input.page });
    const relations = await relationsFor(ctx, repositories);
    const items = repositories.map((repository) => repositoryJson(repository, relations));
    return paged(items, page);
  },
});

export const createRepository = action({
  summary: "Adds a repository whose pushes and pull requests submit builds",
  changes: "repository",
  body: {
    provider: text.describe("What hosts the repository: `github`, `gitlab` or `gitea`"),
    url: text.describe("Address to clone the repository from"),
    secret: text.describe("Secret that the provider signs its events with"),
    access_token: text.describe("Access token of the provider, for private repositories and commit statuses"),
  },
  required: ["provider", "url", "secret"],
  refuses: ["repositories"],
  returns: repositorySchema,
  target: namespaceFor("write"),
  async run(ctx, input) {
    const { provider = "", url = "", secret = "", access_token: accessToken } = input.body;
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const request = { namespaceId, provider, url, secret, accessToken };
    const repository = (await ctx.repositories.createRepository(request)).repository!;
    return repositoryJson(repository, await relationsFor(ctx, [repository]));
  },
});

export const deleteRepository = action({
  summary: "Deletes a repository: its hook stops working",
  changes: "repository",
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    await ctx.repositories.deleteRepository({ namespaceId, id: input.params.id });
  },
});

/** Returns the headers by which providers sign an event, name its kind and identify it. */
function providerHeaders({ request: { headers } }: Exchange): Record<string, string> {
  const names = /^(x-.*|content-type|idempotency-key)$/;
  const texts = Object.entries(headers).filter(([name, value]) => names.test(name) && typeof value === "string");
  return Object.fromEntries(texts) as Record<string, string>;
}

/** Reads the body of a stranger. Few are read at once, and those of one address do not hold up those of others. */
function readHook({ config, hookTurns }: Context, exchange: Exchange): Promise<Buffer> {
  const { request } = exchange;
  const pace = { ...defaultPace, timeoutMs: config.hookBodyMs };
  const signal = disconnected(exchange);
  const address = networkOf(clientAddress(request, config.trustedProxies));
  const read = () => readAll(request, config.hookBytes, pace);
  return hookTurns.address(address, signal, () => hookTurns.all("hooks", signal, read));
}

export const receiveHook = action({
  summary: "Receives a provider's event about a repository, signed with the secret of its hook",
  raw: true,
  returns: hookedSchema,
  async run(ctx, { params: { provider, id }, exchange }) {
    await ctx.repositories.getHook({ provider, id });
    const body = await readHook(ctx, exchange);
    const headers = providerHeaders(exchange);
    const { builds } = await ctx.repositories.receiveHook({ provider, id, headers, body });
    const relations = await relationsFor(ctx, builds);
    return { builds: builds.map((build) => buildUrl(build, relations)) };
  },
});
