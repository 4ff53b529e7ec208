import { after, t0 } from "../../test/_build.js";
import { end, kinds, running, statuses, textOf } from "../../test/_moves.js";
import { applyChange } from "./change.js";
import { lose } from "./take-back.js";

describe("lose", () => {
  const late = after(20_000);
  const limits = { returns: 2, tagId: 55 };

  const ended = running().lease!;

  it("leaves a build unchanged if its lease was renewed, passed to another claim or ended", () => {
    const doc = running();
    const renewed = { ...doc, lease: { ...ended, until: after(20_000) } };
    expect(lose(renewed, ended, limits, late)).toBeUndefined();
    expect(lose({ ...doc, lease: { ...ended, epoch: 2 } }, ended, limits, late)).toBeUndefined();
    expect(lose({ ...doc, lease: undefined }, ended, limits, late)).toBeUndefined();
  });

  it("requeues the build as it was before the claim, plus a tag and a line of output", () => {
    const ran = end(running(), "passed", "old text\n").doc;
    const doc = applyChange(ran, lose(ran, ended, limits, late)!);
    expect(doc).toMatchObject({ status: "queued", startedAt: undefined, lease: undefined, returns: 1 });
    expect(statuses(doc)).toEqual(["queued", "queued", "queued"]);
    expect(doc.tags).toMatchObject([{ id: 55, name: "orphaned" }]);
    expect(doc.tail.map((chunk) => chunk.text).join("")).toBe("old text\nRunner lost, build queued again (1 of 2)\n");
  });

  it("tags the build once, keeps its other tags, and forgets which objects were placed", () => {
    const own = { id: 4, userId: 1, buildId: 1, name: "mine", createdAt: t0 };
    const object = { id: 7, source: "a", name: "a", placed: true };
    const lost = (overrides: Parameters<typeof running>[0]) => {
      const doc = running(overrides);
      return applyChange(doc, lose(doc, ended, limits, late)!);
    };
    const once = lost({ tags: [own], objects: [object] });
    expect(once.tags.map(({ name }) => name)).toEqual(["mine", "orphaned"]);
    expect(once.objects).toEqual([{ ...object, placed: false }]);
    expect(lost({ tags: once.tags }).tags).toEqual(once.tags);
  });

  it.each([
    ["Runner lost, build queued again (1 of 2)", {}],
    ["Runner lost, no attempts left", { returns: 2 }],
    ["Build killed by ann", { killRequestedAt: t0, killRequestedBy: "ann" }],
  ])("writes %j on a line of its own", (line, overrides) => {
    const ran = { ...end(running(), "passed", "no newline").doc, ...overrides };
    expect(textOf(applyChange(ran, lose(ran, ended, limits, late)!))).toBe(`no newline\n${line}\n`);
  });

  it("fails the build when no attempt is left", () => {
    const doc = running({ returns: 2 });
    const change = lose(doc, ended, limits, late);
    expect(applyChange(doc, change!)).toMatchObject({ status: "failed" });
    expect(applyChange(doc, change!).tail.at(-1)!.text).toBe("Runner lost, no attempts left\n");
    expect(kinds(change)).toEqual(["build.finished"]);
  });

  it("kills the build if a kill was requested", () => {
    const doc = running({ killRequestedAt: t0 });
    expect(applyChange(doc, lose(doc, ended, limits, late)!).status).toBe("killed");
  });

  it("drops the artifacts of the lost attempt", () => {
    const entry = { id: 9, entryId: 9, jobId: 2, source: "a.txt", name: "a.txt", createdAt: t0 };
    const match = { ...entry, source: "b.txt", name: "b.txt", size: 3, blobId: "x" };
    const artifacts = [
      { ...match, entry: { source: "*.txt", name: "*" } },
      { ...match, id: 10, name: "c.txt" },
    ];
    const doc = running({ artifacts, artifactBytes: 6 });
    const now = applyChange(doc, lose(doc, ended, limits, late)!);
    expect(now.artifacts).toEqual([{ ...entry, source: "*.txt", name: "*" }]);
    expect(now.artifactBytes).toBeUndefined();
  });
});
