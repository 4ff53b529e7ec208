import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import type Provider from "oidc-provider";
import { freePort } from "./ports.js";

export interface OpenidProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The gateway's settings for it. */
  readonly settings: Readonly<Record<string, string>>;
  /** The claims about each user, by login. */
  readonly claims: Map<string, Readonly<Record<string, unknown>>>;
  /** Stops the provider. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface Asked {
  readonly oidc: { provider: Provider; client: { clientId: string }; session: { accountId: string } };
}

const scopes = "openid profile email";
const form =
  '<!doctype html><title>Provider</title><form method="post"><label>Login <input name="login"></label>' +
  '<button>Continue</button><button name="refuse" value="1">Refuse</button></form>';

function settingsFor(claims: OpenidProvider["claims"], client: object): object {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    clients: [client],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email", "email_verified"] },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_asked: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_asked: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, preferred_username: accountId, ...claims.get(accountId) }),
    }),
    async loadExistingGrant({ oidc: { provider, client, session } }: Asked) {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(scopes);
      await grant.save();
      return grant;
    },
  };
}

/** Shows who signs in a form, and takes their word for it. */
const asking =
  (provider: Provider): RequestListener =>
  async (request, response) => {
    if (!request.url!.startsWith("/interaction/")) return provider.callback()(request, response);
    if (request.method === "GET") return response.setHeader("Content-Type", "text/html").end(form);
    const given = new URLSearchParams(await text(request));
    const refused = { error: "access_denied", error_description: "The user has refused" };
    const result = given.has("refuse") ? refused : { login: { accountId: given.get("login") } };
    return provider.interactionFinished(request, response, result);
  };

/** Creates the provider, without its warnings that it is one for tests. */
async function providerAt(issuer: string, settings: object): Promise<Provider> {
  const { warn } = console;
  console.warn = () => {};
  try {
    const { default: Provider } = await import("oidc-provider");
    return new Provider(issuer, settings);
  } finally {
    console.warn = warn;
  }
}

/** Starts a certified provider of OpenID Connect for an installation at `publicUrl`. */
export async function openidProvider(publicUrl: string): Promise<OpenidProvider> {
  const port = await freePort();
  // Another site than 127.0.0.1, for a browser's cookies.
  const issuer = `http://localhost:${port}`;
  const secret = randomBytes(32).toString("base64url");
  const claims: OpenidProvider["claims"] = new Map();
  const redirectUri = `${publicUrl}/-/sign-in/oidc/callback`;
  const client = { client_id: "service-ci", client_secret: secret, redirect_uris: [redirectUri] };
  const provider = await providerAt(issuer, settingsFor(claims, client));
  const server = createServer(asking(provider));
  const start = async () => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  await start();
  const settings = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: client.client_id, OIDC_CLIENT_SECRET: secret };
  return { issuer, settings, claims, start, stop, [Symbol.asyncDispose]: stop };
}
