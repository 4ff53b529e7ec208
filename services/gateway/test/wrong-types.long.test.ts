import { generateKeyPairSync } from "node:crypto";
import { aBuild, aManifest } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { routes } from "../src/routes.js";
import type { WrongTypeCase } from "./_wrong-types.js";
import { accountCases } from "./_wrong-types-accounts.js";

const ci = constellation();
const letters = "can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number";
const long = "x".repeat(256);
const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
let ann: SignedUp;
let n: string;
let hook: string;
let repository: string;
let b: string;
let ended: string;
let keyPath: string;
let cronPath: string;
let variablePath: string;

beforeAll(async () => {
  ann = await ci.signUp();
  const { name } = created(await ann.post("/namespaces", { name: "tree" }));
  n = `/n/${ann.username}/${name}`;
  const { id } = created(await ann.post(`${n}/-/webhooks`, { payload_url: "http://example.com/kept" }));
  hook = `${n}/-/webhooks/${id}`;
  const added = { provider: "gitea", url: "http://example.com/o/kept", secret: "s" };
  repository = `${n}/-/repositories/${created(await ann.post(`${n}/-/repositories`, added)).id}`;
  b = `/b/${ann.username}/${created(await ann.post("/builds", aBuild())).number}`;
  ended = `/b/${ann.username}/${created(await ann.post("/builds", aBuild())).number}`;
  await ann.delete(ended);
  keyPath = `/keys/${created(await ann.post("/keys", { name: "kept", key: privateKey, config: "as it was" })).id}`;
  variablePath = `/variables/${created(await ann.post("/variables", { key: "KEPT", value: "as it was" })).id}`;
  cronPath = `/cron/${created(await ann.post("/cron", { name: "kept", manifest: aManifest() })).id}`;
});

/** Returns all records that the requests below could create or change. */
async function allRecords() {
  const lists = [
    "/user/sessions",
    "/builds",
    "/namespaces",
    "/images",
    "/objects",
    "/variables",
    "/keys",
    "/cron",
    "/tokens",
  ];
  const paths = [...lists, `${n}/-/webhooks`, `${n}/-/repositories`, `${n}/-/invites`, `${b}/tags`];
  const annsRecords = await Promise.all(paths.map(async (path) => (await ann.get(path)).json));
  return [...annsRecords, (await ci.admin.get("/users")).json, (await ci.admin.get("/tokens")).json].map((list) =>
    // A token's last use changes with every request.
    list.map(({ last_used_at, ...record }: { last_used_at?: string }) => record),
  );
}

const cases: readonly WrongTypeCase[] = [
  ...accountCases(() => ann),
  {
    row: "POST /builds",
    path: () => "/builds",
    oneWrongType: () => ({ ...aBuild({ namespace: "fresh" }), comment: 7 }),
    moreMistakes: () => ({ manifest: aManifest({ driver: { type: "ssh" } }), comment: 7, tags: [long], variables: [] }),
    complaints: {
      comment: ["Comment must be a string"],
      manifest: ["Manifest invalid driver specified ssh"],
      tags: ["Tags name cannot be longer than 100 characters in length"],
      variables: ["Variables must be an object of strings"],
    },
  },
  {
    row: "POST /b/:user/:number/restart",
    path: () => `${ended}/restart`,
    oneWrongType: () => ({ variables: { KEY: 7 } }),
    complaints: { variables: ["Variables must be an object of strings"] },
  },
  {
    row: "POST /manifests/check",
    path: () => "/manifests/check",
    oneWrongType: () => ({ ...aBuild(), comment: 7 }),
    complaints: { comment: ["Comment must be a string"] },
  },
  {
    row: "POST /b/:user/:number/tags",
    path: () => `${b}/tags`,
    oneWrongType: () => ["fine", 7],
    complaints: { tags: ["Tags must be an array of strings"] },
  },
  {
    row: "POST /namespaces",
    path: () => "/namespaces",
    oneWrongType: () => ({ name: "fresh", description: [] }),
    moreMistakes: () => ({ name: "-t", parent: "nowhere", visibility: "open", description: [] }),
    complaints: {
      description: ["Description must be a string"],
      name: [`Name ${letters}`],
      parent: ["Could not find parent"],
      visibility: ["Visibility invalid visibility open"],
    },
  },
  {
    row: "PATCH /n/:username/:path",
    path: () => n,
    oneWrongType: () => ({ description: "changed", visibility: true }),
    moreMistakes: () => ({ description: long, visibility: true }),
    complaints: {
      visibility: ["Visibility must be a string"],
      description: ["Description cannot be longer than 255 characters in length"],
    },
  },
  {
    row: "POST /n/:username/:path/-/invites",
    path: () => `${n}/-/invites`,
    oneWrongType: () => ({ handle: 7 }),
    complaints: { handle: ["Username or email must be a string"] },
  },
  {
    row: "POST /n/:username/:path/-/webhooks",
    path: () => `${n}/-/webhooks`,
    oneWrongType: () => ({ payload_url: "http://example.com/fresh", ssl: "no" }),
    moreMistakes: () => ({ payload_url: "http://example.com/kept", ssl: "no", secret: long, events: ["tea"] }),
    complaints: {
      ssl: ["Ssl must be a boolean"],
      payload_url: ["Payload URL already exists"],
      secret: ["Secret cannot be longer than 255 characters in length"],
      events: ["Events unknown event tea"],
    },
  },
  {
    row: "POST /n/:username/:path/-/repositories",
    path: () => `${n}/-/repositories`,
    oneWrongType: () => ({ provider: "gitea", url: "http://example.com/o/r", secret: "s", access_token: 7 }),
    moreMistakes: () => ({ provider: "svn", url: "ftp://example.com/o/r", access_token: 7 }),
    complaints: {
      provider: ["Provider invalid provider svn; it must be github, gitlab or gitea"],
      url: ["Url invalid url scheme; it must be http or https"],
      secret: ["Secret field required"],
      access_token: ["Access_token must be a string"],
    },
  },
  {
    row: "PATCH /n/:username/:path/-/repositories/:id",
    path: () => repository,
    oneWrongType: () => ({ forks: "run", cancel_superseded: "yes" }),
    moreMistakes: () => ({ forks: "eat", cancel_superseded: "yes", secret: long, access_token: "a b" }),
    complaints: {
      cancel_superseded: ["Cancel_superseded must be a boolean"],
      forks: ["Forks invalid forks eat; it must be approve, run or ignore"],
      secret: ["Secret cannot be longer than 255 characters in length"],
      access_token: ["Access_token invalid access token; it must be printable ASCII without spaces"],
    },
  },
  {
    row: "PATCH /n/:username/:path/-/webhooks/:id",
    path: () => hook,
    oneWrongType: () => ({ active: false, payload_url: 7 }),
    moreMistakes: () => ({ payload_url: 7, remove_secret: "no", ssl: true, secret: long, filter: [] }),
    complaints: {
      payload_url: ["Payload URL must be a string"],
      remove_secret: ["Remove_secret must be a boolean"],
      filter: ["Filter must be an object of lists of strings, numbers, true, false and null"],
      secret: ["Secret cannot be longer than 255 characters in length"],
    },
  },
  {
    row: "POST /images",
    path: () => "/images",
    oneWrongType: () => ({ name: "disk", namespace: "fresh", download_url: 7 }),
    moreMistakes: () => ({ name: "a b", namespace: "-f", download_url: { toString: 7 } }),
    complaints: {
      download_url: ["Download_url must be a string"],
      name: ["Name can only contain letters, numbers, dashes, and underscores"],
      namespace: [`Namespace name ${letters}`],
    },
  },
  ...["redeliver", "replay"].map((name) => ({
    row: `POST /n/:username/:path/-/webhooks/:id/${name}`,
    path: () => `${hook}/${name}`,
    oneWrongType: () => ({ since: 7 }),
    complaints: { since: ["Since must be an RFC3339 timestamp"] },
  })),
  ...[
    { row: "webhooks/:id/test", path: () => `${hook}/test`, field: "event", label: "Event" },
    { row: "repositories/:id/run", path: () => `${repository}/run`, field: "ref", label: "Ref" },
  ].map(({ row, path, field, label }) => ({
    row: `POST /n/:username/:path/-/${row}`,
    path,
    oneWrongType: () => ({ [field]: 7 }),
    complaints: { [field]: [`${label} must be a string`] },
  })),
  {
    row: "PUT /n/:username/:path/-/webhooks/:id/headers",
    path: () => `${hook}/headers`,
    oneWrongType: () => ({ headers: { A: 7 } }),
    complaints: { headers: ["Headers must be an object of strings"] },
  },
  {
    row: "PUT /n/:username/:path/-/webhooks/:id/rate-limit",
    path: () => `${hook}/rate-limit`,
    oneWrongType: () => ({ per_second: "7" }),
    complaints: { per_second: ["Per_second must be a number"] },
  },
  {
    row: "POST /variables",
    path: () => "/variables",
    oneWrongType: () => ({ namespace: "fresh", key: "K", value: "secret", mask: "no" }),
    moreMistakes: () => ({ namespace: "-f", key: "1", mask: "no" }),
    complaints: {
      mask: ["Mask must be a boolean"],
      namespace: [`Namespace name ${letters}`],
      key: ["Key does not match ^[A-Za-z_][A-Za-z0-9_]*$"],
      value: ["Value field required"],
    },
  },
  {
    row: "PATCH /variables/:id",
    path: () => variablePath,
    oneWrongType: () => ({ value: "changed", mask: "no" }),
    moreMistakes: () => ({ value: "", mask: "no" }),
    complaints: { mask: ["Mask must be a boolean"], value: ["Value field required"] },
  },
  {
    row: "POST /keys",
    path: () => "/keys",
    oneWrongType: () => ({ namespace: "fresh", name: "id", key: privateKey, config: 7 }),
    moreMistakes: () => ({ name: "kept", key: "none", config: 7 }),
    complaints: {
      config: ["Config must be a string"],
      name: ["Name already exists"],
      key: ["Key ssh: no key found"],
    },
  },
  {
    row: "PATCH /keys/:id",
    path: () => keyPath,
    oneWrongType: () => ({ config: 7 }),
    complaints: { config: ["Config must be a string"] },
  },
  {
    row: "POST /cron",
    path: () => "/cron",
    oneWrongType: () => ({ name: "nightly", schedule: 7, manifest: aManifest({ namespace: "fresh" }) }),
    moreMistakes: () => ({ name: "kept", schedule: 7, manifest: "driver: {type: ssh}" }),
    complaints: {
      schedule: ["Schedule must be a string"],
      name: ["Name already exists"],
      manifest: ["Manifest invalid driver specified ssh"],
    },
  },
  {
    row: "PATCH /cron/:id",
    path: () => cronPath,
    oneWrongType: () => ({ name: 7, schedule: "monthly", manifest: aManifest({ namespace: "fresh" }) }),
    moreMistakes: () => ({ name: 7, schedule: "yearly", manifest: "driver: {type: ssh}" }),
    complaints: {
      name: ["Name must be a string"],
      schedule: ["Schedule invalid schedule yearly"],
      manifest: ["Manifest invalid driver specified ssh"],
    },
  },
];

test("the cases cover every route with a body", () => {
  const withBody = routes.filter(({ action }) => action.body || action.download);
  expect(cases.map(({ row }) => row).sort()).toEqual(withBody.map(({ method, path }) => `${method} ${path}`).sort());
});

describe.each(cases)("$row", ({ row, path, oneWrongType, moreMistakes, complaints }) => {
  const api = () => (row.startsWith("POST /users") ? ci.admin : ann);
  const [method = ""] = row.split(" ");

  test("a wrong type hides no other mistake", async () => {
    const { status, json } = await api().send(method, path(), { json: (moreMistakes ?? oneWrongType)() });
    expect([status, json]).toEqual([400, complaints]);
  });

  test("a wrong type alone prevents every change", async () => {
    const before = await allRecords();
    const { status, json } = await api().send(method, path(), { json: oneWrongType() });
    expect(status).toBe(400);
    expect(Object.keys(json)).toHaveLength(1);
    expect(complaints).toMatchObject(json);
    expect(await allRecords()).toEqual(before);
  });
});

test("requests for a record that the caller may not change return 404, whatever the types", async () => {
  const bob = await ci.signUp();
  const ownedRecords = cases.filter(
    ({ row }) => /[/]:(user|username|id)\b/.test(row) && !row.startsWith("POST /users"),
  );
  expect(ownedRecords).toHaveLength(17);
  for (const { row, path, oneWrongType } of ownedRecords) {
    const { status } = await bob.send(row.split(" ")[0]!, path(), { json: oneWrongType() });
    expect([row, status]).toEqual([row, 404]);
  }
  expect((await ci.admin.post("/users/nobody/tokens", { name: 7 })).status).toBe(404);
});
