import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import { guardedFetch } from "@ci/kit/net/guarded-fetch";
import { basic, type Login } from "./logins.js";

/** Why a registry that refuses a pull may do so. */
export const refusal = (login: Login | undefined): string =>
  login ? "it does not exist, or its registry refuses the login" : "it does not exist, or it needs a login";

const timeoutMs = 60_000;
const maxAnswerBytes = 256 * 1024;

export interface Asking {
  readonly repository: string;
  readonly login: Login | undefined;
  readonly signal: AbortSignal;
}

/** Reads `Bearer realm="…",service="…",scope="…"`. Without `\b`, a long word would take quadratic time. */
function parametersOf(challenge: string): ReadonlyMap<string, string> {
  const [, text] = /^bearer\s+(.*)$/i.exec(challenge) ?? [];
  if (text === undefined) throw new FetchFailed(refusal(undefined));
  return new Map([...text.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, name, value]) => [name!.toLowerCase(), value!]));
}

function tokenIn(body: Buffer): string {
  try {
    const { token, access_token } = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
    const given = token ?? access_token;
    if (typeof given === "string" && /^[\x21-\x7e]+$/.test(given)) return given;
  } catch {}
  throw new FetchFailed("invalid response");
}

/** Asks the server that a registry names for a token that may pull. */
async function pullToken(
  agent: ReturnType<typeof guardedAgent>,
  challenge: string,
  { repository, login, signal }: Asking,
): Promise<string> {
  const parameters = parametersOf(challenge);
  const realm = parameters.get("realm") ?? "";
  if (!URL.canParse(realm)) throw new FetchFailed("invalid response");
  const url = new URL(realm);
  const service = parameters.get("service");
  if (service !== undefined) url.searchParams.set("service", service);
  url.searchParams.set("scope", parameters.get("scope") ?? `repository:${repository}:pull`);
  const headers: Record<string, string> = login ? { authorization: basic(login) } : {};
  const options = { headers, timeoutMs, maxRedirects: 3, maxBodyBytes: maxAnswerBytes, signal };
  const response = await guardedFetch(agent, url, options);
  if (response.status !== 200) throw new FetchFailed(refusal(login));
  return tokenIn(response.body);
}

/** Returns the value of the header with which a registry that has asked for it may answer. */
export async function authorization(
  agent: ReturnType<typeof guardedAgent>,
  challenge: string,
  asking: Asking,
): Promise<string> {
  const { login } = asking;
  if (login && /^basic\b/i.test(challenge)) return basic(login);
  return `Bearer ${await pullToken(agent, challenge, asking)}`;
}
