// Creates one record of each kind through the API, so that the clones look exactly as the services write them.
import { generateKeyPairSync } from "node:crypto";
import { waitFor } from "../../deploy/local/provision/machine.mjs";

/** @typedef {import("./systems.mjs").System} System */

const manifest = `namespace: team
driver: {type: os}
stages: [test]
env: [STAGE=bench]
objects: [thing => thing]
jobs: [{stage: test, name: unit, commands: [echo tested, echo artifact > out.txt], artifacts: [out.txt]}]
`;

/** The smallest disk image that the service accepts. */
const disk = Buffer.from("QFI\xfb", "latin1");

/** @param {System} system @param {string} path @param {string | Buffer} body */
const upload = async ({ api }, path, body) => {
  const headers = { Authorization: `Bearer ${api.token}`, "Content-Type": "application/octet-stream" };
  const response = await fetch(`${api.url}${path}`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
};

/** Creates a user with a token for everything that does not need an administrator. @param {System} system @param {string} username */
const aUser = async ({ api, as }, username) => {
  const user = await api.json("POST", "/users", { username, email: `${username}@example.com` });
  const resources = ["build", "invite", "image", "namespace", "object", "variable", "key", "cron", "webhook"];
  const scope = resources.map((resource) => `${resource}:read,write,delete`).join(" ");
  const token = await api.json("POST", `/users/${username}/tokens`, { name: "bench", scope });
  return { id: user.id, api: as(token.secret) };
};

/** @param {System} system */
const aBuild = async ({ api }) => {
  const { url } = await api.json("POST", "/builds", { manifest, tags: ["nightly"] });
  const ended = await waitFor(async () => !["queued", "running"].includes((await api.json("GET", url)).status), {
    withinMs: 60_000,
  });
  const build = await api.json("GET", url);
  if (!ended || build.status !== "passed") throw new Error(`The first build is ${build.status}: ${build.output}`);
};

/**
 * Creates the administrator's namespace `team` with one record of each kind, and three users: `mate` collaborates there,
 * `joiner` and `guest` will collaborate elsewhere.
 * @param {System} system
 * @param {string} hookUrl an address that responds to webhooks with 204
 */
export const makeTemplates = async (system, hookUrl) => {
  const { api } = system;
  await api.json("POST", "/namespaces", { name: "team" });
  await api.json("POST", "/namespaces", { name: "root0" });
  await api.json("POST", "/namespaces", { name: "part0", parent: "team" });
  const [mate, joiner, guest] = [
    await aUser(system, "mate"),
    await aUser(system, "joiner"),
    await aUser(system, "guest"),
  ];
  const invite = await api.json("POST", "/n/admin/team/-/invites", { handle: "mate" });
  await mate.api.json("PATCH", invite.url);
  await api.json("POST", "/n/admin/team/-/invites", { handle: "guest" });
  const webhook = await api.json("POST", "/n/admin/team/-/webhooks", { payload_url: hookUrl, secret: "bench" });
  await upload(system, "/objects?namespace=team&name=thing", "content");
  await upload(system, "/images?namespace=team&name=disk", disk);
  await aBuild(system);
  await api.json("POST", "/variables", { namespace: "team", key: "SETTING", value: "of some length", mask: true });
  const key = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
  await api.json("POST", "/keys", { namespace: "team", name: "deploy", key });
  await api.json("POST", "/cron", { name: "daily", schedule: "daily", manifest });
  const delivered = await waitFor(
    async () =>
      (await api.json("GET", `${webhook.url}/deliveries`)).some((/** @type {any} */ one) => one.status === "delivered"),
    { withinMs: 30_000 },
  );
  if (!delivered) throw new Error("No webhook was delivered.");
  await api.json("PATCH", webhook.url, { active: false });
  await settled(system);
  return { joiner, guest };
};

/** Waits until all events are handled. @param {System} system */
export const settled = async ({ dbs }) => {
  const waits = async () => {
    for (const db of Object.values(dbs))
      for (const { name } of await db.listCollections().toArray())
        if (await db.collection(name).findOne({ "outbox.id": { $gt: "" } })) return true;
    return false;
  };
  if (!(await waitFor(async () => !(await waits()), { withinMs: 30_000 }))) throw new Error("Some events are stuck.");
};
