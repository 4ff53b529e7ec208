import { listedManifest } from "../src/domain/listed.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
type Filter = Partial<Parameters<typeof suite.builds.listBuilds>[0]>;
const list = (user: { id: number }, filter: Filter = {}) =>
  suite.as(user as never, () => suite.builds.listBuilds({ tag: "", search: "", ...filter }));
const numbers = async (...args: Parameters<typeof list>) => (await list(...args)).builds.map((build) => build.number);

beforeAll(async () => {
  const { ann, bob } = suite.users;
  await suite.submit(ann, manifest, { tags: ["v1.0", "Red"] });
  await suite.submit(ann, `namespace: team${manifest}`, { tags: ["blue"] });
  await suite.submit(bob, manifest, { tags: ["red"] });
  for (let n = 0; n < 26; n++) await suite.submit(suite.users.eve);
});

describe("succeeds", () => {
  it("returns the caller's builds and those of the caller's namespaces, newest first", async () => {
    expect(await numbers(suite.users.ann)).toEqual([2, 1]);
    expect(await numbers(suite.users.bob)).toEqual([1]);
  });

  it("filters by tag, by part of a tag and by status", async () => {
    const { ann } = suite.users;
    expect(await numbers(ann, { tag: "blue" })).toEqual([2]);
    expect(await numbers(ann, { tag: "blu" })).toEqual([]);
    expect(await numbers(ann, { search: "RE" })).toEqual([1]);
    expect(await numbers(ann, { search: "v1.0" })).toEqual([1]);
    expect(await numbers(ann, { search: "v1x0" })).toEqual([]);
    expect(await numbers(ann, { status: "queued" })).toEqual([2, 1]);
    expect(await numbers(ann, { status: "passed" })).toEqual([]);
  });

  it("filters by a build's current tags", async () => {
    const { ann } = suite.users;
    const ref = { userId: ann.id, number: 1 };
    await suite.as(ann, () => suite.builds.tagBuild({ ref, names: ["Later"] }));
    expect(await numbers(ann, { search: "late" })).toEqual([1]);
    expect(await numbers(ann, { tag: "Later", search: "RED" })).toEqual([1]);
    expect(await numbers(ann, { tag: "later" })).toEqual([]);
    await suite.as(ann, () => suite.builds.untagBuild({ ref, name: "Later" }));
    expect(await numbers(ann, { search: "late" })).toEqual([]);
    expect(await numbers(ann, { search: "RED" })).toEqual([1]);
  });

  it("returns 25 builds a page", async () => {
    const first = await list(suite.users.eve);
    expect([first.builds.length, first.page]).toEqual([25, { hasNext: true }]);
    const second = await list(suite.users.eve, { page: { number: 2 } });
    expect([second.builds.length, second.page]).toEqual([1, { hasNext: false }]);
    expect((await list(suite.users.eve, { page: { number: 9 } })).page).toEqual({ hasNext: false, lastPage: 2 });
  });

  it("filters by exactly one namespace", async () => {
    const team = await suite.accounts.aNamespace(suite.users.ann, "team");
    expect(await numbers(suite.users.ann, { namespaceId: team.id })).toEqual([2]);
    const { builds } = await suite.builds.getLatestBuilds({ namespaceIds: [team.id, 999] });
    expect(builds.map((build) => build.number)).toEqual([2]);
  });
});

it("the newest builds come without manifests, for at most 200 namespaces at once", async () => {
  const { id } = await suite.accounts.aNamespace(suite.users.ann, "team");
  const latest = (count: number) =>
    suite.builds.getLatestBuilds({ namespaceIds: [id, ...Array.from({ length: count - 1 }, (_, n) => 1_000 + n)] });
  const { builds } = await latest(200);
  expect(builds).toMatchObject([
    { number: 2, manifest: "", trigger: { type: "manual" }, queue: { position: expect.any(Number) } },
  ]);
  expect(await suite.builds.getLatestBuilds({ namespaceIds: [] })).toEqual({ builds: [] });
  expect(await fault(latest(201))).toMatchObject({
    code: "invalid",
    fields: { namespace_ids: ["Namespace IDs cannot exceed 200"] },
  });
});

describe("not_found", () => {
  it("a namespace that the caller may not see gets not_found", async () => {
    const team = await suite.accounts.aNamespace(suite.users.ann, "team");
    expect(await fault(list(suite.users.bob, { namespaceId: team.id }))).toMatchObject({ code: "not_found" });
  });
});

test("the list returns at most 64 KiB of a manifest, and all of it with the build", async () => {
  const long = `${manifest}#${"\u2713".repeat(100_000)}\n`;
  const { bob } = suite.users;
  const { number } = await suite.submit(bob, long);
  const [listed] = (await list(bob)).builds;
  expect(listed!.manifest).toBe(listedManifest(long));
  const { build } = await suite.as(bob, () => suite.builds.getBuild({ ref: { userId: bob.id, number }, brief: false }));
  expect(build!.manifest).toBe(long);
});
