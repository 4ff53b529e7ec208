import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import { guardedStream, type StreamedResponse } from "@ci/kit/net/guarded-fetch";
import type { Login } from "./logins.js";
import type { ImagePlace } from "./place.js";
import { authorization, refusal } from "./token.js";

interface GetOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Reads one repository of a registry. */
export interface RegistryClient {
  /** Returns a successful response to a GET of `/v2/repository/path`; throws a FetchFailed for any other. */
  get(path: string, options: GetOptions): Promise<StreamedResponse>;
}

const maxRedirects = 5;

function reasonFor(status: number, login: Login | undefined): string {
  if ([401, 403, 404].includes(status)) return refusal(login);
  return status === 429 ? "its registry refuses further pulls for some time" : "its registry does not work";
}

/** Connects only to addresses that the agent allows, also for tokens and redirects. Logs in only where asked. */
export function registryClient(
  agent: ReturnType<typeof guardedAgent>,
  { origin, repository }: ImagePlace,
  signal: AbortSignal,
  login?: Login,
): RegistryClient {
  let allowed: string | undefined;

  const ask = (path: string, { headers, timeoutMs }: GetOptions) =>
    guardedStream(agent, `${origin}/v2/${repository}/${path}`, {
      headers: { ...headers, ...(allowed !== undefined && { authorization: allowed }) },
      timeoutMs,
      maxRedirects,
      signal,
    });

  return {
    async get(path, options) {
      let response = await ask(path, options);
      const challenge = response.headers["www-authenticate"];
      if (response.status === 401 && challenge !== undefined) {
        response[Symbol.dispose]();
        allowed = await authorization(agent, challenge, { repository, login, signal });
        response = await ask(path, options);
      }
      if (response.status === 200 || response.status === 206) return response;
      response[Symbol.dispose]();
      throw new FetchFailed(reasonFor(response.status, login));
    },
  };
}
