import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import { guardedFetch } from "@ci/kit/net/guarded-fetch";

export const notFound = "it does not exist, or it needs a login";

const timeoutMs = 60_000;
const maxAnswerBytes = 256 * 1024;

/** Reads `Bearer realm="…",service="…",scope="…"`. */
function parametersOf(challenge: string): ReadonlyMap<string, string> {
  const [, text] = /^bearer\s+(.*)$/i.exec(challenge) ?? [];
  if (text === undefined) throw new FetchFailed(notFound);
  return new Map([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!.toLowerCase(), value!]));
}

function tokenIn(body: Buffer): string {
  try {
    const { token, access_token } = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
    const given = token ?? access_token;
    if (typeof given === "string" && /^[\x21-\x7e]+$/.test(given)) return given;
  } catch {}
  throw new FetchFailed("invalid response");
}

/** Asks the server that a registry names for a token that may pull, without a login. */
export async function anonymousToken(
  agent: ReturnType<typeof guardedAgent>,
  challenge: string,
  repository: string,
  signal: AbortSignal,
): Promise<string> {
  const parameters = parametersOf(challenge);
  const realm = parameters.get("realm") ?? "";
  if (!URL.canParse(realm)) throw new FetchFailed("invalid response");
  const url = new URL(realm);
  const service = parameters.get("service");
  if (service !== undefined) url.searchParams.set("service", service);
  url.searchParams.set("scope", parameters.get("scope") ?? `repository:${repository}:pull`);
  const answer = await guardedFetch(agent, url, { timeoutMs, maxRedirects: 3, maxBodyBytes: maxAnswerBytes, signal });
  if (answer.status !== 200) throw new FetchFailed(notFound);
  return tokenIn(answer.body);
}
