import { createHmac, randomUUID } from "node:crypto";
import { PassThrough } from "node:stream";
import { aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { type GitServer, gitServer } from "@ci/testkit/git-server";

const settings = { HOOK_BODY_LIMIT: "64KiB", HOOK_BODY_TIMEOUT: "1s", HOOK_BODIES: "1" };
const ci = constellation({ settings });
let ann: SignedUp;
let server: GitServer;
let hookUrl: string;
beforeAll(async () => {
  [ann, server] = await Promise.all([ci.signUp(), gitServer()]);
  const { name } = created(await ann.post("/namespaces", { name: aWord("ns") }));
  const { url } = await server.repository(`octo/${aWord()}.git`);
  const fields = { provider: "github", url, secret: "hush" };
  hookUrl = created(await ann.post(`/n/${ann.username}/${name}/-/repositories`, fields)).hook_url;
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends the beginning of a body that never ends. */
function sendUnfinished(path: string, declaredBytes: number) {
  const body = new PassThrough();
  body.write("{");
  return ci.as().send("POST", path, { body, headers: { "content-length": String(declaredBytes) } });
}

test("an unknown repository is refused before the body has arrived", async () => {
  expect(await sendUnfinished("/hooks/github/999999", 60_000)).toMatchObject({ status: 404 });
  expect(await sendUnfinished(hookUrl.replace("github", "gitlab"), 60_000)).toMatchObject({ status: 404 });
});

test("a body that is declared too large is refused before it has arrived", async () => {
  expect(await sendUnfinished(hookUrl, 64 * 1024 + 1)).toMatchObject({ status: 413 });
});

test("a body that never ends is refused, and many of them do not hold up a push", async () => {
  const slow = {
    status: 400,
    json: { message: "Request body arrives too slowly; send it again over a faster connection" },
  };
  const unfinished = Array.from({ length: 12 }, () => sendUnfinished(hookUrl, 60_000));
  const body = JSON.stringify({ zen: "Keep it logically awesome." });
  const sign = `sha256=${createHmac("sha256", "hush").update(body).digest("hex")}`;
  const headers = { "X-GitHub-Event": "ping", "X-GitHub-Delivery": randomUUID(), "X-Hub-Signature-256": sign };
  const ping = ci.as().send("POST", hookUrl, { body, headers: { "Content-Type": "application/json", ...headers } });
  expect((await ann.get("/user")).status).toBe(200);
  for (const response of unfinished) expect(await response).toMatchObject(slow);
  expect(await ping).toMatchObject({ status: 202, json: { builds: [] } });
});
