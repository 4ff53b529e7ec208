import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { type FetchOptions, guardedFetch } from "@ci/kit/net/guarded-fetch";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Context } from "../../context.js";
import { isRateLimited, repositoryApi, waitMsOf } from "../../domain/hooks/provider-api.js";
import { type HookApi, hookApis, hooksTo } from "../../domain/hooks/registration.js";
import type { RepositoryDoc } from "../../store/repositories.js";
import { readResponse } from "./read-payload.js";

const maxListBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "response of a provider about the hooks of a repository",
  effect: "the hook has to be added or removed by hand",
});

const maxRemoved = fixedLimit({
  max: 10,
  about: "hooks at a provider with the same URL of ours that one registration or removal removes",
  effect: "further ones stay at the provider",
});

export class RateLimited extends FetchFailed {
  constructor(readonly waitMs: number) {
    super("429");
  }
}

type Needs = Pick<Context, "agent" | "config" | "signal">;

/** The fields that identify a repository at its provider. */
export type HookedRepository = Pick<RepositoryDoc, "_id" | "provider" | "url">;

export const hookUrl = ({ config }: Pick<Context, "config">, { _id, provider }: HookedRepository): string =>
  `${config.publicUrl}/hooks/${provider}/${_id}`;

/**
 * Returns a function that sends requests about a repository's hooks, all of them within the hook lease. It throws
 * FetchFailed if the provider refuses.
 */
function asking(ctx: Needs, { provider, url: cloneUrl }: HookedRepository, token: string) {
  const api = repositoryApi({ provider, cloneUrl }, token);
  const { hookTimeoutMs, hookLeaseMs } = ctx.config;
  const over = performance.now() + hookLeaseMs;
  return async (method: FetchOptions["method"], path: string, body?: object): Promise<unknown> => {
    const leftMs = Math.max(1, Math.ceil(over - performance.now()));
    const limits = { timeoutMs: Math.min(hookTimeoutMs, leftMs), maxBodyBytes: maxListBytes, signal: ctx.signal };
    const sent = { method, headers: api.headers, body: body && JSON.stringify(body) };
    const response = await guardedFetch(ctx.agent, api.url + path, { ...sent, ...limits });
    if (isRateLimited(response)) throw new RateLimited(waitMsOf(response));
    if (response.status < 200 || response.status > 299) throw new FetchFailed(`${response.status}`);
    return readResponse(response.body);
  };
}

const pathOf = (hookId: string): string => `/hooks/${encodeURIComponent(hookId)}`;

const found = async (ask: ReturnType<typeof asking>, api: HookApi, url: string): Promise<string[]> =>
  hooksTo(api, await ask("GET", api.list), url);

/** Registers our hook at the provider, or updates the existing one and tries to remove some surplus ones. Throws FetchFailed. */
export async function addHook(
  ctx: Needs,
  repository: HookedRepository,
  { secret, token }: { readonly secret: string; readonly token: string },
): Promise<void> {
  const api = hookApis[repository.provider];
  const ask = asking(ctx, repository, token);
  const url = hookUrl(ctx, repository);
  const [existing, ...surplus] = await found(ask, api, url);
  const body = api.body({ url, secret });
  if (existing === undefined) await ask("POST", "/hooks", body);
  else await ask(api.updateMethod, pathOf(existing), body);
  try {
    for (const id of surplus.slice(0, maxRemoved)) await ask("DELETE", pathOf(id));
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error;
  }
}

/** Removes hooks at the provider that send to our URL, up to a limit. Throws FetchFailed. */
export async function removeHooks(ctx: Needs, repository: HookedRepository, token: string): Promise<void> {
  const ask = asking(ctx, repository, token);
  const ids = await found(ask, hookApis[repository.provider], hookUrl(ctx, repository));
  for (const id of ids.slice(0, maxRemoved)) await ask("DELETE", pathOf(id));
}
