import { openidProvider } from "@ci/testkit/openid-provider";
import { type Answer, type Received, type Receiver, receiver } from "@ci/testkit/receiver";
import { openidClient } from "../src/auth/openid.js";
import { readConfig } from "../src/config.js";

const own = "http://ci.test/-/sign-in/oidc/callback";
const peers = Object.fromEntries(
  ["BUILDS_ADDR", "IMAGES_ADDR", "NAMESPACES_ADDR", "WEBHOOKS_ADDR"].map((name) => [name, "h:1"]),
);
const common = {
  ...{ TLS_CERT: "c", TLS_KEY: "k", TLS_CA: "a", NATS_URL: "nats://n:4222", PUBLIC_URL: "http://ci.test" },
  ...{ OIDC_CLIENT_ID: "service-ci", OIDC_CLIENT_SECRET: "client-secret", ...peers },
};

/** Returns a client of a provider, and what it has logged. */
function clientOf(issuer: string, settings: Readonly<Record<string, string>> = {}) {
  const logged: unknown[] = [];
  const { openid } = readConfig({ ...common, OIDC_ISSUER: issuer, ...settings });
  const log = { warn: (...line: unknown[]) => logged.push(line) };
  return { client: openidClient(openid!, own, log as never), logged };
}

/** Starts a provider that sends these responses, by path. */
async function aProvider(answers: Record<string, (request: Received) => Answer>): Promise<Receiver> {
  const provider: Receiver = await receiver({
    answer: (request) => {
      const path = request.path.replace("/.well-known/openid-configuration", "/discovery");
      if (path === "/discovery" && !answers[path]) return json(metadataOf(provider.url));
      return answers[path]?.(request) ?? { status: 404 };
    },
  });
  return provider;
}
const json = (value: unknown): Answer => ({
  ...{ status: 200, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) },
});
const metadataOf = (issuer: string) => ({
  ...{
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  },
  token_endpoint_auth_methods_supported: ["client_secret_post"],
});
const checks = { state: "the-state", nonce: "the-nonce", verifier: "v".repeat(43) };
const answer = new URL(`${own}?code=the-code&state=the-state`);

test("metadata of more than a mebibyte is not read to its end", async () => {
  const filler = "x".repeat(1024 * 1024);
  await using provider = await aProvider({
    "/discovery": () => json({ ...metadataOf(provider.url), filler }),
  });
  const { client, logged } = clientOf(provider.url);
  await expect(client.begin()).rejects.toMatchObject({ reason: "unavailable" });
  expect(logged).toHaveLength(1);
});

test("metadata of another issuer is refused", async () => {
  await using provider = await aProvider({ "/discovery": () => json(metadataOf("http://127.0.0.1:9")) });
  await expect(clientOf(provider.url).client.begin()).rejects.toMatchObject({ reason: "unavailable" });
});

test("a provider is looked up once for many sign-ins, and again after a failure", async () => {
  let fails = true;
  await using provider = await aProvider({
    "/discovery": () => (fails ? { status: 500 } : json(metadataOf(provider.url))),
  });
  const { client } = clientOf(provider.url);
  await expect(client.begin()).rejects.toMatchObject({ reason: "unavailable" });
  fails = false;
  for (let n = 0; n < 3; n++) await client.begin();
  expect(provider.requests).toHaveLength(2);
});

test.each([
  [
    "a code is refused",
    "failed",
    () => ({ ...json({ error: "invalid_grant", error_description: "the-code" }), status: 400 }),
  ],
  ["it is in trouble", "unavailable", () => ({ status: 503 })],
  ["it sends no ID token", "failed", () => json({ access_token: "the-token", token_type: "bearer" })],
  [
    "its ID token is none",
    "failed",
    () => json({ access_token: "the-token", token_type: "bearer", id_token: "a.the-token.c" }),
  ],
] as const)("if %s, the sign-in is %s and the log holds no secret", async (_what, reason, token) => {
  await using provider = await aProvider({ "/token": token });
  const { client, logged } = clientOf(provider.url);
  await expect(client.finish(answer, checks)).rejects.toMatchObject({ reason });
  expect(logged).toHaveLength(1);
  expect(JSON.stringify(logged)).not.toMatch(/the-code|the-token|the-state|the-nonce|client-secret|vvv/);
});

test("the secret is sent in the way that the provider supports", async () => {
  await using provider = await aProvider({ "/token": () => ({ status: 400 }) });
  await expect(clientOf(provider.url).client.finish(answer, checks)).rejects.toThrow();
  const sent = provider.requests.find(({ path }) => path === "/token")!;
  expect(sent.headers.authorization).toBeUndefined();
  expect(sent.body.toString()).toContain("client_secret=client-secret");
});

test("an answer to another sign-in is refused before the provider is asked", async () => {
  await using provider = await openidProvider("http://ci.test");
  const { client } = clientOf(provider.issuer, provider.settings);
  const other = new URL(`${own}?code=c&state=another&iss=${encodeURIComponent(provider.issuer)}`);
  await expect(client.finish(other, checks)).rejects.toMatchObject({ reason: "failed" });
});
