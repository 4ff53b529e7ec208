import { openMongo } from "@ci/kit/mongo/mongo";
import { aBuild, aManifest } from "@ci/testkit/builders";
import { type Constellation, created, type SignedUp, startConstellation } from "@ci/testkit/constellation";
import { suite } from "@ci/testkit/suite";
import { createClient, encodeName } from "@service-ci/client";

const names = suite();
let ci: Constellation;
let ann: SignedUp;
beforeAll(async () => {
  ci = await startConstellation(names);
  ann = await ci.signUp();
});
afterAll(() => ci?.[Symbol.asyncDispose]());

/** Stores a build with tags that an older version accepted. */
async function withTags(tags: readonly string[]) {
  const build = created(await ann.post("/builds", aBuild({ tags: tags.map((_, index) => `t${index}`) })));
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_builds`);
  const set = Object.fromEntries(tags.map((name, index) => [`tags.${index}.name`, name]));
  await mongo.db.collection<{ _id: number }>("builds").updateOne({ _id: build.id }, { $set: set });
  return (await ann.get(build.url)).json;
}

test("a new tag cannot have a segment that URL parsers resolve", async () => {
  const { url, manifest } = created(await ann.post("/builds", aBuild()));
  const refused = { status: 400, json: { tags: ["Tags name cannot have a segment . or .."] } };
  expect(await ann.post(`${url}/tags`, ["fine", "../../../../n/ann/prod"])).toMatchObject(refused);
  expect(await ann.post("/builds", { manifest, tags: ["a/./b"] })).toMatchObject(refused);
  expect((await ann.get(url)).json.tags).toEqual([]);
});

test("a/ and a are different tags, each with its own URL", async () => {
  const { url } = created(await ann.post("/builds", aBuild({ tags: ["a", "a/"] })));
  const listed = (await ann.get(`${url}/tags`)).json;
  expect(listed.map((tag: { name: string; url: string }) => [tag.name, tag.url])).toEqual([
    ["a", `${url}/tags/a`],
    ["a/", `${url}/tags/a%2F`],
  ]);
  expect((await ann.get(listed[1].url)).json.name).toBe("a/");
  expect((await ann.delete(listed[1].url)).status).toBe(204);
  expect((await ann.get(url)).json.tags).toEqual(["a"]);
});

test("the tags of an older version are read and removed, and lead nowhere else", async () => {
  created(await ann.post("/namespaces", { name: "prod" }));
  const tags = [`../../../../n/${ann.username}/prod`, "/a", "a//b", "a/../b", "..b/."].sort();
  const { url, tags_url } = await withTags(tags);
  const client = createClient({ url: `${ci.origin}/api`, publicUrl: ci.url, token: ann.token });
  for (const tag of (await ann.get(tags_url)).json) {
    expect(await (await client.request(tag.url)).json()).toMatchObject({ name: tag.name });
    expect(`${tags_url}/${encodeName(tag.name)}`).toBe(tag.url);
    await client.request(tag.url, { method: "DELETE" });
  }
  expect((await ann.get(url)).json).toMatchObject({ tags: [], status: "queued" });
  expect((await ann.get(`/n/${ann.username}/prod`)).status).toBe(200);
});

test("a build with such tags is restarted with valid ones", async () => {
  const { url } = await withTags(["a/../b", "c"]);
  expect((await ann.delete(url)).status).toBe(204);
  expect(created(await ann.post(`${url}/restart`)).tags).toEqual(["a/--/b", "c"]);
});

test("the run of a cron job gets a valid tag, whatever its name", async () => {
  const cron = { name: "/../../n/ann/prod", schedule: "daily", manifest: aManifest() };
  const { id } = created(await ann.post("/cron", cron));
  expect(created(await ann.post(`/cron/${id}/run`)).tags).toEqual(["cron:/--/--/n/ann/prod"]);
});

test("the client sends no request for a path that leads elsewhere", async () => {
  const { url, number } = created(await ann.post("/builds", aBuild()));
  const client = createClient({ url: `${ci.origin}/api`, publicUrl: ci.url, token: ann.token });
  await expect(client.request(`${url}/tags/..`, { method: "DELETE" })).rejects.toThrow("has a segment . or ..");
  const path = { user: ann.username, number, name: ".." };
  const typed = client.api.DELETE("/b/{user}/{number}/tags/{name}", { params: { path } });
  await expect(typed).rejects.toThrow("has a segment . or ..");
  expect((await ann.get(url)).json.status).toBe("queued");
});
