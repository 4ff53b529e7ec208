import { ReadableStream } from "node:stream/web";
import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { ApiError, type Client, createClient, each, record, verifyDelivery } from "@service-ci/client";

const ci = constellation({ runner: true });
let ann: SignedUp;
let client: Client;
beforeAll(async () => {
  ann = await ci.signUp();
  client = createClient({ url: `${ci.origin}/api`, publicUrl: ci.url, token: ann.token });
});

const manifest = (command: string) =>
  JSON.stringify({ driver: { type: "os" }, jobs: [{ stage: "test", commands: [command] }] });

test("a build is submitted, followed to its end and read", async () => {
  const build = await record(client.api.POST("/builds", { body: { manifest: manifest("echo hello") } }));
  let output = "";
  let end: unknown;
  for await (const { event, data } of client.follow(build.output_url))
    if (event === "output") output += data;
    else end = data;
  expect(end).toEqual({ status: "passed" });
  expect(output).toContain("hello");
  expect(await (await client.request(build.output_url)).text()).toBe(output);
  let timed = "";
  for await (const { event, data } of client.follow(build.output_url, { timestamps: true }))
    if (event === "output") timed += data;
  expect(timed.replace(/^\d{4}-\S+Z /gm, "")).toBe(output);
  expect(await (await client.request(`${build.output_url}?timestamps=true`)).text()).toBe(timed);
  expect(timed).not.toBe(output);
  const path = { user: ann.username, number: build.number };
  expect((await record(client.api.GET("/b/{user}/{number}", { params: { path } }))).status).toBe("passed");
});

test("a list is read page by page", async () => {
  const keys = Array.from({ length: 30 }, (_, n) => `K${n}`);
  for (const key of keys) await record(client.api.POST("/variables", { body: { key, value: "v" } }));
  const found: string[] = [];
  for await (const { key } of each((page) => client.api.GET("/variables", { params: { query: { page } } })))
    found.push(key);
  expect(found.sort()).toEqual(keys.sort());
});

test("a refused request throws its message and the complaints about its fields", async () => {
  const refused = client.api.POST("/builds", { body: { manifest: "jobs: 5" } });
  const error = await refused.catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 400,
    fields: { manifest: expect.arrayContaining([expect.stringContaining("jobs")]) },
  });
  const unknown = client.request("/b/nobody/1");
  await expect(unknown).rejects.toMatchObject({ status: 404, message: "Not Found", requestId: expect.any(String) });
});

test("an upload is sent as it is read, and its content is downloaded", async () => {
  const chunks = ["one\n", "two\n", "three\n"].map((text) => new TextEncoder().encode(text));
  const progress: number[] = [];
  const content = ReadableStream.from(chunks) as never;
  const onProgress = (sentBytes: number) => progress.push(sentBytes);
  const { type, url } = await client.upload<{ type: string; url: string }>("/objects", { name: "o" }, content, {
    onProgress,
  });
  expect(progress).toEqual([4, 8, 14]);
  const downloaded = await client.request(url, { headers: { Accept: type } });
  expect(await downloaded.text()).toBe("one\ntwo\nthree\n");
});

test("the token is sent to no other server", async () => {
  await expect(client.request("https://example.com/b/ann/1")).rejects.toThrow("is not below");
  await expect(client.request(`${ci.url}.example.com/`)).rejects.toThrow("is not below");
});

test("a delivery of a webhook is verified", async () => {
  await using hook = await receiver();
  await record(client.api.POST("/namespaces", { body: { name: "hooked" } }));
  const body = { payload_url: hook.url, secret: "shared", events: ["variables" as const] };
  const path = { username: ann.username, path: "hooked" };
  await record(client.api.POST("/n/{username}/{path}/-/webhooks", { params: { path }, body }));
  await record(client.api.POST("/variables", { body: { key: "X", value: "y", namespace: "hooked" } }));
  await eventually(() => expect(hook.requests).toHaveLength(1));
  const { headers, body: bytes } = hook.requests[0]!;
  const text = bytes.toString();
  expect(await verifyDelivery({ headers, body: text }, "shared")).toMatchObject({ data: { action: "created" } });
  await expect(verifyDelivery({ headers, body: text }, "other")).rejects.toThrow("No signature matches");
});
