import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Log } from "@ci/kit/process/log";
import type { Claims } from "@ci/proto/namespaces/v1/accounts";
import type { OpenidConfig } from "./openid-config.js";

/** Loads the library only where OpenID Connect is used. */
const library = () => import("openid-client");
type Library = Awaited<ReturnType<typeof library>>;
type Configuration = InstanceType<Library["Configuration"]>;
type ClientAuth = ReturnType<Library["ClientSecretBasic"]>;

const timeoutMs = fixedLimit({
  max: 10_000,
  unit: "ms",
  about: "time of a request to the OpenID Connect provider",
  effect: "the sign-in fails",
});
const maxResponseBytes = fixedLimit({
  max: 1024 * 1024,
  unit: "bytes",
  about: "response of the OpenID Connect provider",
  effect: "the sign-in fails",
});
const discoveredMs = 3_600_000;
const clockToleranceSeconds = 30;

/** The values that the provider's response must match. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Why a sign-in failed. */
export type Reason = "unavailable" | "denied" | "failed";

export class SignInFailure extends Error {
  constructor(readonly reason: Reason) {
    super(`Sign-in failed: ${reason}`);
  }
}

export interface Openid {
  /** Returns the provider's URL for signing in. Throws a SignInFailure. */
  begin(): Promise<{ readonly url: string; readonly checks: Checks }>;
  /** Returns the claims for the URL that the provider redirected the browser to. Throws a SignInFailure. */
  finish(address: URL, checks: Checks): Promise<Claims>;
}

async function limitedFetch(url: string, options: object): Promise<Response> {
  const response = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxResponseBytes) throw new Error(`The response has more than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(sizeBytes > 0 ? Buffer.concat(chunks) : null, { status, headers });
}

interface Failed {
  readonly code?: unknown;
  readonly error?: unknown;
  readonly cause?: { readonly code?: unknown; readonly status?: unknown };
}

const away = new Set<unknown>(["OAUTH_TIMEOUT", "OAUTH_ABORT"]);

function reasonOf(thrown: unknown): Reason {
  const { code, error, cause } = thrown as Failed;
  if (error === "access_denied") return "denied";
  const isNetwork = thrown instanceof TypeError && code === undefined;
  return isNetwork || away.has(code) || Number(cause?.status) >= 500 ? "unavailable" : "failed";
}

const texts = (claim: unknown): string[] => [claim].flat().filter((value) => typeof value === "string");

function claimsIn(all: Readonly<Record<string, unknown>>, { usernameClaim, groupsClaim }: OpenidConfig): Claims {
  const [text, [email]] = [(name: string) => texts(all[name])[0] ?? "", texts(all.email)];
  return {
    issuer: text("iss"),
    subject: text("sub"),
    username: text(usernameClaim),
    // Invites find users by e-mail address, so it must be verified.
    email: all.email_verified === true ? email : undefined,
    groups: texts(all[groupsClaim]),
  };
}

/** Returns a client that reads the provider's configuration at the first sign-in, and then every hour. */
export function openidClient(config: OpenidConfig, redirectUri: string, log: Log): Openid {
  async function discover(): Promise<Configuration> {
    const client = await library();
    const { issuer, clientId, clientSecret } = config;
    const auth: ClientAuth = (server, ...rest) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
      const { ClientSecretBasic: basic, ClientSecretPost: post } = client;
      return (methods.includes("client_secret_basic") ? basic : post)(clientSecret)(server, ...rest);
    };
    return client.discovery(issuer, clientId, { [client.clockTolerance]: clockToleranceSeconds }, auth, {
      execute: issuer.protocol === "http:" ? [client.allowInsecureRequests] : [],
      timeout: timeoutMs / 1_000,
      [client.customFetch]: limitedFetch,
    });
  }

  let known: { readonly provider: Promise<Configuration>; readonly until: number } | undefined;
  function discovered(): Promise<Configuration> {
    if (known && known.until > performance.now()) return known.provider;
    const provider = discover();
    known = { provider, until: performance.now() + discoveredMs };
    provider.catch(() => {
      if (known?.provider === provider) known = undefined;
    });
    return provider;
  }

  function fail(thrown: unknown, reason: Reason): never {
    // Other fields of the error may hold codes and tokens.
    const { code, error, cause } = thrown as Failed;
    const { message } = thrown as Error;
    log.warn({ reason, message, code: code ?? cause?.code, error }, "sign-in with OpenID Connect failed");
    throw new SignInFailure(reason);
  }

  const lookUp = () => discovered().catch((error) => fail(error, "unavailable"));

  async function prove(provider: Configuration, address: URL, { state, nonce, verifier }: Checks): Promise<Claims> {
    const client = await library();
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const tokens = await client.authorizationCodeGrant(provider, address, checks);
    const own = tokens.claims()!;
    const lacks = [config.usernameClaim, config.groupsClaim, "email"].some((name) => own[name] === undefined);
    const asks = lacks && provider.serverMetadata().userinfo_endpoint !== undefined;
    const more = asks ? await client.fetchUserInfo(provider, tokens.access_token, own.sub) : {};
    return claimsIn({ ...more, ...own }, config);
  }

  return {
    async begin() {
      const provider = await lookUp();
      const client = await library();
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: config.scopes,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, checks };
    },
    async finish(address, checks) {
      const provider = await lookUp();
      return prove(provider, address, checks).catch((error) => fail(error, reasonOf(error)));
    },
  };
}
