// Creates records of every kind for the fuzzer: one to read and change, and some to delete.
import { generateKeyPairSync } from "node:crypto";
import { waitFor } from "../../provision/machine.mjs";
import { apiAt } from "../../start/api.mjs";

/** @typedef {import("../../start/api.mjs").Api} Api */

const resources = ["build", "invite", "image", "namespace", "object", "variable", "key", "cron", "webhook", "user"];
const everyScope = resources.map((name) => `${name}:read,write,delete`).join(" ");
const spareCount = 5;
const final = ["passed", "passed_with_failures", "failed", "killed", "timed_out"];

export const privateKey = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();

/** The secret of every repository's hook. */
export const hookSecret = "the secret of a hook";

/**
 * Returns a manifest with one trivial job. JSON is YAML.
 * @param {object} [more]
 */
export const aManifest = (more = {}) =>
  JSON.stringify({
    driver: { type: "os" },
    stages: ["test"],
    jobs: [{ stage: "test", commands: ["echo hello | tee out.txt"], artifacts: ["out.txt => some/out.txt"] }],
    ...more,
  });

/**
 * Creates a user with a token for everything. The fuzzer uses such a token, not its creator's.
 * @param {Api} admin
 * @param {string} username
 * @param {boolean} [isAdmin]
 */
export const aUser = async (admin, username, isAdmin = false) => {
  await admin.json("POST", "/users", { username, email: `${username}@example.com`, admin: isAdmin });
  const scope = isAdmin ? everyScope : everyScope.replace(/ user:\S+/, "");
  const { id, secret } = await admin.json("POST", `/users/${username}/tokens`, { name: "fuzz", scope });
  return { username, tokenId: /** @type {number} */ (id), api: apiAt(admin.url, secret) };
};

/**
 * @param {Api} api
 * @param {string} path
 * @param {string} content
 */
const upload = async ({ url, token }, path, content) => {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/octet-stream" };
  const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: Buffer.from(content, "latin1") });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return /** @type {{ id: number }} */ (await answer.json()).id;
};

/**
 * @template T
 * @param {string} name
 * @param {(name: string) => Promise<T>} make
 * @returns {Promise<T[]>} the first one to keep, the others to delete
 */
const several = async (name, make) => {
  const made = [];
  for (let n = 0; n <= spareCount; n++) made.push(await make(`${name}${n}`));
  return made;
};

/**
 * Submits a build and waits for its end.
 * @param {Api} api
 * @param {object} manifest
 */
const finishedBuild = async (api, manifest) => {
  const fields = { manifest: aManifest(manifest), comment: "Seed", tags: ["seed", "a/b"] };
  const { url, number } = await api.json("POST", "/builds", fields);
  const isFinal = async () => final.includes((await api.json("GET", url)).status);
  if (!(await waitFor(isFinal, { withinMs: 60_000 }))) throw new Error(`${url} did not end.`);
  return /** @type {number} */ (number);
};

/**
 * Creates invites: one from another user to the fuzzer, and some from the fuzzer to guests.
 * @param {Api} admin
 * @param {Api} api
 * @param {{ username: string, at: string, name: string, guests: string[] }} of
 */
const inviteSome = async (admin, api, { username, at, name, guests }) => {
  const host = await aUser(admin, `host${name}`);
  await host.api.json("POST", "/namespaces", { name });
  const made = [await host.api.json("POST", `/n/${host.username}/${name}/-/invites`, { handle: username })];
  for (const handle of guests) made.push(await api.json("POST", `${at}/invites`, { handle }));
  const joined = await api.json("POST", `${at}/invites`, { handle: host.username });
  await host.api.json("PATCH", joined.url);
  return { invites: made.map(({ id }) => /** @type {number} */ (id)), collaborator: host.username };
};

/**
 * Creates records whose names begin with `name`. The first of each list must be kept, the others may be deleted.
 * @param {Api} admin
 * @param {{ username: string, api: Api }} fuzzer
 * @param {{ name: string, receiverUrl: string }} of
 */
export const seed = async (admin, { username, api }, { name, receiverUrl }) => {
  /** @param {string} path @param {object} body @returns {Promise<number>} */
  const made = async (path, body) => (await api.json("POST", path, body)).id;
  const at = `/n/${username}/${name}/-`;
  const namespace = name;
  const query = (/** @type {string} */ word) => `?name=${word}&namespace=${name}`;
  const guests = await several(`guest${name}`, async (word) => (await aUser(admin, word)).username);
  await made("/namespaces", { name, visibility: "public" });
  const children = await several("child", async (word) => {
    await made("/namespaces", { name: word, parent: name });
    return `${name}/${word}`;
  });
  const repository = { provider: "gitlab", secret: hookSecret, access_token: "token" };
  const records = {
    objects: await several(`${name}o`, (word) => upload(api, `/objects${query(word)}`, "hello")),
    images: await several(`${name}i`, (word) => upload(api, `/images${query(word)}`, "QFI\xfb")),
    variables: await several(`${name}v`, (key) =>
      made("/variables", { key, value: "a secret", mask: true, namespace }),
    ),
    keys: await several(`${name}k`, (word) =>
      made("/keys", { name: word, key: privateKey, config: "Host *", namespace }),
    ),
    crons: await several(`${name}c`, (word) => made("/cron", { name: word, manifest: aManifest({ namespace }) })),
    tokens: await several(`${name}t`, (word) => made("/tokens", { name: word, scope: "build:read" })),
    webhooks: await several("w", (word) => made(`${at}/webhooks`, { payload_url: `${receiverUrl}${name}/${word}` })),
    repositories: await several("r", (word) =>
      made(`${at}/repositories`, { ...repository, url: `https://example.com/${name}/${word}.git` }),
    ),
  };
  const invited = await inviteSome(admin, api, { username, at, name, guests });
  const build = await finishedBuild(api, { namespace, env: ["NAME=value"], objects: [`${name}o0 => data/o`] });
  const log = `${at}/webhooks/${records.webhooks[0]}/deliveries`;
  const readDeliveries = async () => {
    const all = await api.json("GET", log);
    return all.length > 0 ? all : undefined;
  };
  /** @type {{ id: number }[] | undefined} */
  const deliveries = await waitFor(readDeliveries, { withinMs: 30_000 });
  if (!deliveries) throw new Error(`${log} stayed empty.`);
  return {
    ...records,
    name,
    username,
    guests,
    children,
    build,
    deliveries: deliveries.map(({ id }) => id),
    ...invited,
  };
};

/** @typedef {Awaited<ReturnType<typeof seed>>} Seeds */
