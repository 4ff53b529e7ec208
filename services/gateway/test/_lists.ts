import { generateKeyPairSync } from "node:crypto";
import type { Api } from "@ci/testkit/api";
import { aBuild, aManifest, aUser } from "@ci/testkit/builders";
import { type Constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import type { Receiver } from "@ci/testkit/receiver";

/** A user with a new namespace, so that lists have only the records of one test. */
export interface TestSpace {
  readonly ci: Constellation;
  readonly inbox: Receiver;
  readonly user: SignedUp;
  /** Route of the user's namespace. */
  readonly url: string;
  /** The namespace's path in records. */
  readonly namespace: string;
}

// biome-ignore lint/suspicious/noExplicitAny: records are read field by field
type Named = any;

/** A list of the API. */
export interface ListCase {
  /** Returns a unique text of a record, usually its name. */
  readonly nameOf: (record: Named) => string;
  /** Returns the name in the list if it differs from the given one. */
  readonly shown?: (name: string) => string;
  /** Contract 1.5. `given`: as created; `newest`: reversed. */
  readonly order: "lexical" | "given" | "newest";
  /** Whether `?search` searches these names. */
  readonly search: boolean;
  /** Creates records with these names in this order. Returns the list's route and the API for its request. */
  fill(ground: TestSpace, names: readonly string[]): Promise<{ readonly path: string; readonly as: Api }>;
}

/** Creates records one after another. */
async function createEach(names: readonly string[], add: (name: string) => Promise<unknown>): Promise<void> {
  for (const name of names) await add(name);
}

const byName = (record: Named): string => record.name;
const privateKey = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "sec1", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
}).privateKey;
const disk = Buffer.from([0x51, 0x46, 0x49, 0xfb]);

const create = {
  images: (user: Api, name: string, namespace: string) =>
    user.send("POST", `/images?name=${name}&namespace=${namespace}`, { body: disk }),
  objects: (user: Api, name: string, namespace: string) =>
    user.send("POST", `/objects?name=${name}&namespace=${namespace}`, { body: "content" }),
  variables: (user: Api, key: string, namespace: string) => user.post("/variables", { key, value: "v", namespace }),
  keys: (user: Api, name: string, namespace: string) => user.post("/keys", { name, key: privateKey, namespace }),
};

/** Returns the list of the user's or of a namespace's records. */
function recordsOf(kind: keyof typeof create, order: ListCase["order"], inNamespace: boolean): ListCase {
  return {
    nameOf: ({ name, key }) => name ?? key,
    order,
    search: true,
    async fill({ user, namespace, url }, names) {
      await createEach(names, async (name) => created(await create[kind](user, name, inNamespace ? namespace : "")));
      return { path: inNamespace ? `${url}/-/${kind}` : `/${kind}`, as: user };
    },
  };
}

const builds = (inNamespace: boolean): ListCase => ({
  nameOf: ({ tags }) => tags[0],
  order: "newest",
  search: true,
  async fill({ user, namespace, url }, names) {
    const fields = inNamespace ? { namespace } : {};
    await createEach(names, async (name) => created(await user.post("/builds", aBuild({ ...fields, tags: [name] }))));
    return { path: inNamespace ? `${url}/-/builds` : "/builds", as: user };
  },
});

/** A list that belongs to a build. `fill` writes the names into its manifest. */
const ofBuild = (
  part: string,
  order: ListCase["order"],
  manifest: (names: readonly string[]) => object,
  prepare: (user: SignedUp, name: string) => Promise<unknown> = async () => undefined,
): ListCase => ({
  nameOf: ({ source, name, key }) => (part === "objects" ? source : (key ?? name)),
  order,
  search: true,
  async fill({ user }, names) {
    await createEach(names, (name) => prepare(user, name));
    const { url } = created(await user.post("/builds", aBuild({ ...manifest(names) })));
    return { path: `${url}/${part}`, as: user };
  },
});

const job = (more: object) => ({ stage: "test", commands: ["true"], ...more });

async function signUpAll({ ci }: TestSpace, names: readonly string[]): Promise<SignedUp[]> {
  const all: SignedUp[] = [];
  for (const name of names) all.push(await ci.signUp(name));
  return all;
}

const usernames = (record: Named): string => (record.invitee ?? record).username;

/** Every list of contract 1.5, by its route. */
export const lists: Readonly<Record<string, ListCase>> = {
  "/builds": builds(false),
  "n/-/builds": builds(true),
  "/images": recordsOf("images", "lexical", false),
  "n/-/images": recordsOf("images", "newest", true),
  "/objects": recordsOf("objects", "lexical", false),
  "n/-/objects": recordsOf("objects", "lexical", true),
  "/variables": recordsOf("variables", "lexical", false),
  "n/-/variables": recordsOf("variables", "lexical", true),
  "/keys": recordsOf("keys", "lexical", false),
  "n/-/keys": recordsOf("keys", "lexical", true),
  "/namespaces": {
    nameOf: ({ path }) => path,
    order: "lexical",
    search: true,
    async fill({ ci }, names) {
      const user = await ci.signUp();
      await createEach(names, async (name) => created(await user.post("/namespaces", { name })));
      return { path: "/namespaces", as: user };
    },
  },
  "n/-/namespaces": {
    nameOf: byName,
    order: "lexical",
    search: true,
    async fill({ user, namespace: parent, url }, names) {
      await createEach(names, async (name) => created(await user.post("/namespaces", { name, parent })));
      return { path: `${url}/-/namespaces`, as: user };
    },
  },
  "b/objects": ofBuild("objects", "given", (objects) => ({ objects })),
  "b/variables": ofBuild("variables", "lexical", (names) => ({ env: names.map((name) => `${name}=v`) })),
  "b/keys": ofBuild(
    "keys",
    "lexical",
    () => ({}),
    async (user, name) => created(await create.keys(user, name, "")),
  ),
  "b/jobs": {
    ...ofBuild("jobs", "given", (names) => ({ jobs: names.map((name) => job({ name })) })),
    // Contract 7.3: the names of jobs are lower-cased.
    shown: (name) => name.toLowerCase(),
  },
  "b/artifacts": ofBuild("artifacts", "lexical", (artifacts) => ({ jobs: [job({ artifacts })] })),
  "b/tags": {
    nameOf: byName,
    order: "given",
    search: true,
    async fill({ user }, names) {
      const { url } = created(await user.post("/builds", aBuild()));
      created(await user.post(`${url}/tags`, names));
      return { path: `${url}/tags`, as: user };
    },
  },
  "/cron": {
    nameOf: byName,
    order: "lexical",
    search: true,
    async fill({ user, namespace }, names) {
      const manifest = aManifest({ namespace });
      await createEach(names, async (name) => created(await user.post("/cron", { name, manifest })));
      return { path: "/cron", as: user };
    },
  },
  "/objects/:id/builds": {
    nameOf: ({ tags }) => tags[0],
    order: "newest",
    search: true,
    async fill({ user }, names) {
      const { id } = created(await create.objects(user, "used", ""));
      const run = (name: string) => user.post("/builds", aBuild({ objects: ["used"], tags: [name] }));
      await createEach(names, async (name) => created(await run(name)));
      return { path: `/objects/${id}/builds`, as: user };
    },
  },
  "/users": {
    nameOf: usernames,
    order: "lexical",
    search: true,
    async fill({ ci }, names) {
      await createEach(names, async (username) => created(await ci.admin.post("/users", aUser({ username }))));
      return { path: "/users", as: ci.admin };
    },
  },
  "/tokens": {
    nameOf: byName,
    order: "given",
    search: false,
    async fill({ ci }, names) {
      const user = await ci.signUp();
      const [first] = (await user.get("/tokens")).json;
      const secrets: string[] = [];
      await createEach(names, async (name) =>
        secrets.push(created(await user.post("/tokens", { name, scope: "build:read" })).secret),
      );
      await user.delete(first.url);
      return { path: "/tokens", as: ci.as(secrets[0]) };
    },
  },
  "n/-/invites": {
    nameOf: usernames,
    order: "given",
    search: false,
    async fill(ground, names) {
      await signUpAll(ground, names);
      await createEach(names, async (handle) => created(await ground.user.post(`${ground.url}/-/invites`, { handle })));
      return { path: `${ground.url}/-/invites`, as: ground.user };
    },
  },
  "/invites": {
    nameOf: ({ namespace }) => namespace.name,
    order: "given",
    search: false,
    async fill({ ci, user }, names) {
      const invitee = await ci.signUp();
      const invite = (name: string) => user.post(`/n/${user.username}/${name}/-/invites`, { handle: invitee.username });
      await createEach(names, async (name) => created(await user.post("/namespaces", { name })));
      await createEach(names, async (name) => created(await invite(name)));
      return { path: "/invites", as: invitee };
    },
  },
  "n/-/collaborators": {
    nameOf: usernames,
    order: "given",
    search: false,
    async fill(ground, names) {
      for (const collaborator of await signUpAll(ground, names)) {
        const { id } = created(await ground.user.post(`${ground.url}/-/invites`, { handle: collaborator.username }));
        await collaborator.patch(`/invites/${id}`);
      }
      return { path: `${ground.url}/-/collaborators`, as: ground.user };
    },
  },
  "n/-/webhooks": {
    nameOf: ({ payload_url }) => payload_url.split("/").at(-1),
    order: "given",
    search: false,
    async fill({ user, url, inbox }, names) {
      const add = (name: string) => user.post(`${url}/-/webhooks`, { payload_url: `${inbox.url}/${name}` });
      await createEach(names, async (name) => created(await add(name)));
      return { path: `${url}/-/webhooks`, as: user };
    },
  },
  "n/-/repositories": {
    nameOf: ({ url }) => url.split("/").at(-1),
    order: "given",
    search: false,
    async fill({ user, url, inbox }, names) {
      const add = (name: string) =>
        user.post(`${url}/-/repositories`, { provider: "gitea", url: `${inbox.url}/${name}`, secret: "s" });
      await createEach(names, async (name) => created(await add(name)));
      return { path: `${url}/-/repositories`, as: user };
    },
  },
  "n/-/repositories/:id/deliveries": {
    nameOf: ({ delivery_id }) => delivery_id,
    order: "newest",
    search: false,
    async fill({ user, url, inbox }, names) {
      const fields = { provider: "gitlab", url: `${inbox.url}/hooked`, secret: "s" };
      const { id, hook_url } = created(await user.post(`${url}/-/repositories`, fields));
      const send = (name: string) => {
        const headers = { "Content-Type": "application/json", "X-Gitlab-Token": "s", "X-Gitlab-Event-UUID": name };
        return user.send("POST", hook_url, { headers, body: JSON.stringify({ object_kind: "note", name }) });
      };
      await createEach(names, async (name) => expect((await send(name)).status).toBe(202));
      return { path: `${url}/-/repositories/${id}/deliveries`, as: user };
    },
  },
  "n/-/webhooks/:id/deliveries": {
    // Only a delivery's full record names its variable.
    nameOf: ({ id }) => String(id),
    order: "newest",
    search: false,
    async fill({ user, url, namespace, inbox }, names) {
      const hook = { payload_url: inbox.url, events: ["variables"] };
      const { id } = created(await user.post(`${url}/-/webhooks`, hook));
      await createEach(names, async (name) => created(await create.variables(user, name, namespace)));
      const path = `${url}/-/webhooks/${id}/deliveries`;
      await eventually(async () => expect((await user.get(`${path}?page=2`)).json).toHaveLength(names.length - 25));
      return { path, as: user };
    },
  },
};
