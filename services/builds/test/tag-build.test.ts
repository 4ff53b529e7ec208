import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "./_suite.js";

const suite = bootBuilds();
const refOf = (number: number) => ({ userId: suite.users.ann.id, number });
const tag = (number: number, names: string[], user = suite.users.ann) =>
  suite.as(user, () => suite.builds.tagBuild({ ref: refOf(number), names }));
const untag = (number: number, name: string) =>
  suite.as(suite.users.ann, () => suite.builds.untagBuild({ ref: refOf(number), name }));
const namesOf = async (number: number) =>
  (await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref: refOf(number), brief: true }))).build!.tags.map(
    (tag) => tag.name,
  );

describe("succeeds", () => {
  it("adds tags that are new and valid", async () => {
    const { number } = await suite.submit(suite.users.ann);
    expect((await tag(number, ["a", "b/c", "no good", "a", ".", ".."])).tags.map((tag) => tag.name)).toEqual([
      "a",
      "b/c",
    ]);
    expect((await tag(number, ["a"])).tags).toEqual([]);
    await untag(number, "a");
    expect(await namesOf(number)).toEqual(["b/c"]);
  });

  it("concurrent requests all add their tags", async () => {
    const { number } = await suite.submit(suite.users.ann);
    await Promise.all(["a", "b", "c", "d", "e"].map((name) => tag(number, [name])));
    expect((await namesOf(number)).sort()).toEqual(["a", "b", "c", "d", "e"]);
  });
});

describe("invalid", () => {
  it("a request beyond the limit adds no tag at all", async () => {
    const { number } = await suite.submit(suite.users.ann);
    const thrown = await fault(tag(number, ["1", "2", "3", "4", "5", "6"]));
    expect(thrown.fields).toEqual({ tags: ["Tags cannot exceed 5 per build"] });
    expect(await namesOf(number)).toEqual([]);
  });
});

describe("not_found", () => {
  it("an outsider gets not_found, as does a tag that does not exist", async () => {
    const { number } = await suite.submit(suite.users.ann);
    expect(await fault(tag(number, ["x"], suite.users.eve))).toMatchObject({ code: "not_found" });
    expect(await fault(untag(number, "x"))).toMatchObject({ code: "not_found" });
  });
});

describe("events", () => {
  it("only new tags and real changes of the pin are published", async () => {
    const { number, id } = await suite.submit(suite.users.ann);
    await tag(number, ["a"]);
    await tag(number, ["a"]);
    for (const pinned of [true, true, false])
      await suite.as(suite.users.ann, () => suite.builds.pinBuild({ ref: refOf(number), pinned }));
    await eventually(() =>
      expect(suite.kinds(id)).toEqual(["build.submitted", "build.tagged", "build.pinned", "build.unpinned"]),
    );
    const tagged = suite.events.find((event) => event.buildId === id && event.kind === "build.tagged")!;
    expect(tagged.body).toMatchObject({ $case: "buildTagged", value: { tags: ["a"], userId: suite.users.ann.id } });
  });
});
