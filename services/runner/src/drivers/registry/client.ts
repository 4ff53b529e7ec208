import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import { type Answer, guardedStream } from "@ci/kit/net/guarded-fetch";
import type { ImagePlace } from "./place.js";
import { anonymousToken, notFound } from "./token.js";

export interface GetOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Reads one repository of a registry. */
export interface RegistryClient {
  /** Returns a successful answer to a GET of `/v2/repository/path`; throws a FetchFailed for any other. */
  get(path: string, options: GetOptions): Promise<Answer>;
}

const maxRedirects = 5;

const reasons: Readonly<Record<number, string>> = {
  401: notFound,
  403: notFound,
  404: notFound,
  429: "its registry refuses further pulls for some time",
};

/** Connects only to addresses that the agent allows, also for tokens and redirects. Never logs in. */
export function registryClient(
  agent: ReturnType<typeof guardedAgent>,
  { origin, repository }: ImagePlace,
  signal: AbortSignal,
): RegistryClient {
  let token: string | undefined;

  const ask = (path: string, { headers, timeoutMs }: GetOptions) =>
    guardedStream(agent, `${origin}/v2/${repository}/${path}`, {
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...{ timeoutMs, maxRedirects, signal },
    });

  return {
    async get(path, options) {
      let answer = await ask(path, options);
      const challenge = answer.headers["www-authenticate"];
      if (answer.status === 401 && challenge !== undefined) {
        answer[Symbol.dispose]();
        token = await anonymousToken(agent, challenge, repository, signal);
        answer = await ask(path, options);
      }
      if (answer.status === 200 || answer.status === 206) return answer;
      answer[Symbol.dispose]();
      throw new FetchFailed(reasons[answer.status] ?? "its registry does not work");
    },
  };
}
