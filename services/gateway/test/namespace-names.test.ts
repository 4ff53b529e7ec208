import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";

const ci = constellation();
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

describe("names of one character, with dots, dashes and underscores", () => {
  const name = () => `${aWord("9.")}_-`;

  test("work in every route of a namespace", async () => {
    const root = name();
    created(await ann.post("/namespaces", { name: root, visibility: "public" }));
    for (const parent of [root, `${root}/a`]) created(await ann.post("/namespaces", { name: "a", parent }));
    const path = `/n/${ann.username}/${root}/a/a`;
    expect((await ann.get(path)).json).toMatchObject({ path: `${root}/a/a`, url: `${ci.url}${path}` });
    for (const list of ["builds", "namespaces", "images", "objects", "variables", "keys", "invites", "collaborators"])
      expect([list, (await ann.get(`${path}/-/${list}`)).status]).toEqual([list, 200]);
    const badge = await ci.as().get(`${path}/-/badge.svg`);
    expect([badge.status, badge.headers["content-type"]]).toEqual([200, "image/svg+xml"]);
    const found = (await ann.get(`/namespaces?search=${encodeURIComponent("_-/a/")}`)).json;
    expect(found).toContainEqual(expect.objectContaining({ path: `${root}/a/a` }));
    expect((await ann.delete(path)).status).toBe(204);
  });

  test.each(["badge.svg", "a-", "b.."])("such as %s work like any other", async (name) => {
    const user = await ci.signUp();
    created(await user.post("/namespaces", { name }));
    expect((await user.get(`/n/${user.username}/${name}`)).json).toMatchObject({ path: name });
    expect((await user.get(`/n/${user.username}/${name}/-/builds`)).json).toEqual([]);
  });

  test("are created by a manifest, an object, a variable and a download that use them", async () => {
    const [root, user] = [name(), await ci.signUp()];
    const at = (path: string) => `${root}/${path}`;
    created(await user.post("/builds", aBuild({ namespace: at("submit/to/namespace") })));
    const object = { body: "x", headers: { "content-type": "text/plain" } };
    created(await user.send("POST", `/objects?name=o&namespace=${at("o")}`, object));
    created(await user.post("/variables", { key: "K", value: "v", namespace: at("v-1") }));
    created(await user.post("/images", { name: "i", namespace: at("i.1"), download_url: "https://images.test/i" }));
    const paths = ["submit", "submit/to", "submit/to/namespace", "o", "v-1", "i.1"].map(at);
    const { json } = await user.get("/namespaces");
    expect(json.map(({ path }: { path: string }) => path)).toEqual([root, ...paths].sort());
  });
});
