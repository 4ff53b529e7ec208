import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { aBuild, aWord } from "@ci/testkit/builders";
import { created, startConstellation } from "@ci/testkit/constellation";
import { receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";

// Runs the commands as an operator does, from the output of `tsc -b`.

const own = suite();
const entry = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`;
const [oldKey, newKey] = [entry("old", 1), entry("new", 2)];
const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
const services = ["namespaces", "webhooks", "images", "builds"];

const start = (keys: string) => startConstellation(own, { settings: { SECRET_KEYS: keys, DOWNLOAD_PAUSE: "1h" } });

/** Runs the command of a service and returns its output and exit code. */
const rotate = (service: string, keys: string, prefix = own.mongoDb) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const script = join(__dirname, "../..", service, "dist/actions/rotate.js");
    const env = { MONGO_URL: own.mongoUrl, MONGO_DB: `${prefix}_${service}`, SECRET_KEYS: keys };
    execFile(process.execPath, [script], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
const rotateAll = (keys: string) => Promise.all(services.map((service) => rotate(service, keys)));

test("rotate re-encrypts all services' data while they are in use; afterwards the new key suffices", async () => {
  await using hook = await receiver({ answer: () => ({ status: 503 }) });
  let token: string;
  let username: string;
  {
    await using ci = await start(oldKey);
    const ann = await ci.signUp();
    ({ token, username } = ann);
    created(await ann.post("/variables", { key: "OLDEST", value: "value of A" }));
    created(await ann.post("/keys", { name: "id", key: privateKey }));
    created(await ann.post("/namespaces", { name: "tree" }));
    created(await ann.post(`/n/${username}/tree/-/webhooks`, { payload_url: hook.url, secret: "s", active: false }));
    created(await ann.post("/images", { name: "disk", download_url: hook.url }));
    created(await ann.post("/builds", aBuild()));
  }
  {
    await using ci = await start(`${newKey},${oldKey}`);
    const ann = ci.as(token);
    const writing = Promise.all(
      Array.from({ length: 10 }, () => ann.post("/variables", { key: aWord("K"), value: "new" })),
    );
    const first = await rotateAll(`${newKey},${oldKey}`);
    (await writing).forEach(created);
    expect(first.map(({ output }) => output)).toEqual(
      [
        ["namespaces", 2],
        ["webhooks", 1],
        ["images", 1],
        ["builds", 2],
      ].map(([service, count]) => `${service}: ${count} re-encrypted with key "new", 0 left under other keys\n`),
    );
    expect(first.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  }
  await using ci = await start(newKey);
  const ann = ci.as(token);
  expect((await ann.get("/variables?search=OLDEST")).json).toMatchObject([{ value: "value of A" }]);
  expect((await ann.get(`/b/${username}/1/variables`)).json).toMatchObject([{ value: "value of A" }]);
});

test("rotate fails for a database that no service uses", async () => {
  expect(await rotate("builds", newKey, `${own.mongoDb}_unused`)).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^builds: The database \w+_unused_builds has no collections, so no service uses it: check /,
    ),
  });
});

test("rotate counts values that it cannot re-encrypt and exits with 1", async () => {
  const [first] = await rotateAll(entry("third", 3));
  expect(first).toEqual({
    code: 1,
    output: 'namespaces: 0 re-encrypted with key "third", 12 left under other keys: 12 with "new"\n',
  });
  expect(await rotate("builds", "nonsense")).toEqual({
    code: 1,
    output: expect.stringContaining("SECRET_KEYS Encryption key 1: expected id:base64"),
  });
});
