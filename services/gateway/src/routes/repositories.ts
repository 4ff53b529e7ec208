import { networkOf } from "@ci/kit/net/guard";
import type { HookDelivery, Repository } from "@ci/proto/builds/v1/repositories";
import { hookDeliveryJson, hookDeliverySchema } from "@ci/rest/hook-delivery";
import { connectedJson, connectedSchema, hookedSchema, repositoryJson, repositorySchema } from "@ci/rest/repository";
import { buildUrl } from "@ci/rest/urls";
import { namespaceFor, namespaceOf } from "../auth/targets.js";
import { pageOfRecords } from "../backend/record-page.js";
import { relationsFor } from "../backend/relations.js";
import { defaultPace, readAll } from "../content/incoming.js";
import type { Context } from "../context.js";
import { clientAddress } from "../http/address.js";
import { disconnected, type Exchange } from "../http/exchange.js";
import { paged } from "../http/page.js";
import { type Address, action } from "../http/row.js";
import { flag, text } from "../http/shape.js";
import type { Watch } from "../limits/arriving.js";

export const listRepositories = action({
  summary: "Repositories of a namespace, without their secrets",
  paged: true,
  returns: repositorySchema,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const { repositories, page } = await ctx.repositories.listRepositories({ namespaceId, page: input.page });
    return pageOfRecords(ctx, repositories, repositoryJson, page);
  },
});

const toJson = async (ctx: Context, repository: Repository) =>
  repositoryJson(repository, await relationsFor(ctx, [repository]));

/** Returns the repository of a path. Throws `not_found`. */
async function find(ctx: Context, address: Address): Promise<Repository> {
  const { id: namespaceId } = await namespaceOf(ctx, address);
  return (await ctx.repositories.getRepository({ namespaceId, id: address.params.id })).repository!;
}

export const getRepository = action({
  summary: "A repository, without its secrets",
  returns: repositorySchema,
  run: async (ctx, input) => toJson(ctx, await find(ctx, input)),
});

const settings = {
  forks: text.describe("Builds of pull requests from forks: `approve`, `run` or `ignore`; default: `approve`"),
  cancel_superseded: flag.describe(
    "Whether a newer push to a branch or pull request kills the builds of older pushes; default: false",
  ),
};

export const createRepository = action({
  summary: "Adds a repository whose pushes and pull requests submit builds",
  changes: "repository",
  body: {
    provider: text.describe(
      "What hosts the repository: `github`, `gitlab` or `gitea`; found out from the address if missing",
    ),
    url: text.describe("Address to clone the repository from"),
    secret: text.describe("Secret that the provider signs its events with"),
    access_token: text.describe("Access token of the provider, for private repositories and commit statuses"),
    build: flag.describe("Whether the default branch is built now, as after a push; false if missing"),
    ...settings,
  },
  required: ["url", "secret"],
  refuses: ["repositories"],
  returns: connectedSchema,
  target: namespaceFor("write"),
  async run(ctx, input) {
    const { provider = "", url = "", secret = "", access_token: accessToken, forks } = input.body;
    const { cancel_superseded: cancelSuperseded, build = false } = input.body;
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const request = { namespaceId, provider, url, secret, accessToken, forks, cancelSuperseded, build };
    const { repository, delivery } = await ctx.repositories.createRepository(request);
    return connectedJson(repository!, delivery, await relationsFor(ctx, [repository!, ...(delivery?.builds ?? [])]));
  },
});

export const updateRepository = action({
  summary: "Changes a repository's secret, access token or settings",
  changes: "repository",
  body: {
    secret: text.describe(
      "New secret that the provider signs its events with; a repository of another member becomes yours, without its old access token",
    ),
    access_token: text.describe("Access token of the provider"),
    remove_access_token: flag.describe("Whether the stored access token is deleted"),
    forks: text.describe("Builds of pull requests from forks: `approve`, `run` or `ignore`"),
    cancel_superseded: flag.describe(
      "Whether a newer push to a branch or pull request kills the builds of older pushes",
    ),
  },
  returns: repositorySchema,
  target: find,
  async run(ctx, input) {
    const { secret, access_token: accessToken, remove_access_token: removeAccessToken = false, forks } = input.body;
    const { cancel_superseded: cancelSuperseded } = input.body;
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const change = { secret, accessToken, removeAccessToken, forks, cancelSuperseded };
    const request = { namespaceId, id: input.params.id, ...change };
    return toJson(ctx, (await ctx.repositories.updateRepository(request)).repository!);
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

/** Returns the JSON of deliveries of one namespace's repository. */
async function deliveriesJson(ctx: Context, address: Address, deliveries: readonly HookDelivery[]) {
  const namespace = await namespaceOf(ctx, address);
  const builds = deliveries.flatMap((delivery) => delivery.builds);
  const relations = await relationsFor(ctx, builds, { namespaces: [namespace] });
  return deliveries.map((delivery) => hookDeliveryJson(delivery, namespace.id, relations));
}

export const listHookDeliveries = action({
  summary: "Deliveries to a repository's hook with the builds that they triggered, newest first",
  paged: true,
  returns: hookDeliverySchema,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const request = { namespaceId, repositoryId: input.params.id, page: input.page };
    const { deliveries, page } = await ctx.repositories.listHookDeliveries(request);
    return paged(await deliveriesJson(ctx, input, deliveries), page);
  },
});

async function deliveryRef(ctx: Context, address: Address) {
  const { id: namespaceId } = await namespaceOf(ctx, address);
  return { namespaceId, repositoryId: address.params.id, id: address.params.delivery };
}

export const getHookDelivery = action({
  summary: "A delivery with the builds that it triggered, or why it triggered none",
  returns: hookDeliverySchema,
  async run(ctx, input) {
    const { delivery } = await ctx.repositories.getHookDelivery(await deliveryRef(ctx, input));
    return (await deliveriesJson(ctx, input, [delivery!]))[0];
  },
});

export const redeliverHook = action({
  summary: "Processes a delivery again, as a new one: builds its commit again",
  changes: "delivery",
  returns: hookDeliverySchema,
  async run(ctx, input) {
    const { delivery } = await ctx.repositories.redeliverHook(await deliveryRef(ctx, input));
    return (await deliveriesJson(ctx, input, [delivery!]))[0];
  },
});

export const runRepository = action({
  summary: "Builds the newest commit of a branch or tag now, as after a push, for the repository's user",
  changes: "delivery",
  body: {
    ref: text.describe("Branch or tag, or a full ref such as `refs/tags/v1`; the default branch if missing"),
  },
  returns: hookDeliverySchema,
  target: find,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const { ref = "" } = input.body;
    const { delivery } = await ctx.repositories.runRepository({ namespaceId, id: input.params.id, ref });
    return (await deliveriesJson(ctx, input, [delivery!]))[0];
  },
});

/** Returns the headers by which providers sign an event, name its kind and identify it. */
function providerHeaders({ request: { headers } }: Exchange): Record<string, string> {
  const names = /^(x-.*|content-type|idempotency-key)$/;
  const texts = Object.entries(headers).filter(([name, value]) => names.test(name) && typeof value === "string");
  return Object.fromEntries(texts) as Record<string, string>;
}

/** Passes a body on when it has arrived and there is room. Until then it may be stopped in favor of others. */
async function forwardHook<T>(
  { config, hookBodies, forwarding }: Context,
  exchange: Exchange,
  work: (body: Buffer) => Promise<T>,
): Promise<T> {
  const { request } = exchange;
  const stopped = new AbortController();
  const signal = AbortSignal.any([stopped.signal, disconnected(exchange)]);
  const address = networkOf(clientAddress(request, config.trustedProxies));
  let forget = () => {};
  const watch: Watch = (request, stop) => {
    forget = hookBodies(address)(request, (error) => {
      forget();
      stopped.abort(error);
      stop(error);
    });
    return () => {};
  };
  try {
    const body = await readAll(request, config.hookBytes, { ...defaultPace, timeoutMs: config.hookBodyMs }, watch);
    return await forwarding(address, body.length, signal, () => {
      forget();
      return work(body);
    });
  } finally {
    forget();
  }
}

export const receiveHook = action({
  summary: "Receives a provider's event about a repository, signed with the secret of its hook",
  raw: true,
  returns: hookedSchema,
  async run(ctx, { params: { provider, id }, exchange }) {
    await ctx.repositories.getHook({ provider, id });
    const headers = providerHeaders(exchange);
    const { builds } = await forwardHook(ctx, exchange, (body) =>
      ctx.repositories.receiveHook({ provider, id, headers, body }),
    );
    const relations = await relationsFor(ctx, builds);
    return { builds: builds.map((build) => buildUrl(build, relations)) };
  },
});
