import { aBuild, t0 } from "../../test/_build.js";
import { collect, resetArtifacts } from "./artifacts.js";
import type { ArtifactDoc, BuildDoc } from "./build.js";
import { applyChange } from "./change.js";

const entry = (id: number, source: string, name: string): ArtifactDoc => ({
  id,
  entryId: id,
  jobId: 2,
  source,
  name,
  createdAt: t0,
});
const file = (blobId: string) => ({ blobId, size: 5, md5: "m", sha256: "s" });
const running = (artifacts: ArtifactDoc[]) => aBuild({ status: "running", epoch: 1, artifacts });
const names = (doc: BuildDoc) => doc.artifacts.map(({ id, source, name, blobId }) => [id, source, name, blobId]);

it("an upload fills the record of a plain entry", () => {
  const doc = running([entry(1, "a.txt", "result.txt")]);
  const now = applyChange(doc, collect(doc, 1, { artifactId: 1, ...file("b1") }, 50));
  expect(names(now)).toEqual([[1, "a.txt", "result.txt", "b1"]]);
  expect(now.artifactBytes).toBe(5);
});

it("each match of a glob gets a record, the first match the entry's own", () => {
  let doc = running([entry(1, "*.txt", "*")]);
  doc = applyChange(doc, collect(doc, 1, { artifactId: 1, source: "a.txt", name: "a.txt", ...file("b1") }, 50));
  doc = applyChange(doc, collect(doc, 1, { artifactId: 1, source: "b.txt", name: "b.txt", ...file("b2") }, 51));
  expect(names(doc)).toEqual([
    [1, "a.txt", "a.txt", "b1"],
    [51, "b.txt", "b.txt", "b2"],
  ]);
  expect(doc.artifacts[0]!.entry).toEqual({ source: "*.txt", name: "*" });
  expect(doc.artifactBytes).toBe(10);
});

it("names of artifacts become unique", () => {
  let doc = running([entry(1, "x", "same"), entry(2, "*", "same")]);
  doc = applyChange(doc, collect(doc, 1, { artifactId: 2, source: "y", name: "same", ...file("b1") }, 50));
  expect(names(doc)[1]).toEqual([2, "y", "same-2", "b1"]);
});

it("an upload replaces the content of an interrupted upload of the same match", () => {
  let doc = running([entry(1, "*.txt", "*")]);
  doc = applyChange(doc, collect(doc, 1, { artifactId: 1, source: "a.txt", name: "a.txt", ...file("b1") }, 50));
  doc = applyChange(doc, collect(doc, 1, { artifactId: 1, source: "a.txt", name: "a.txt", ...file("b2") }, 51));
  expect(names(doc)).toEqual([[1, "a.txt", "a.txt", "b2"]]);
});

it("refuses matches without end, but no file that an entry names, until the build is requeued", () => {
  let doc = running([{ ...entry(1, "*", "*"), pattern: "*" }, entry(2, "b", "b")]);
  const match = (nth: number) => {
    const name = `${nth}.${"n".repeat(100_000)}`;
    doc = applyChange(doc, collect(doc, 1, { artifactId: 1, source: name, name, ...file(`b${nth}`) }, 50 + nth));
  };
  const fill = () => {
    for (let nth = 0; nth < 100; nth++) match(nth);
  };
  expect(fill).toThrow("Invalid");
  expect(doc.artifacts.length).toBeGreaterThan(5);
  expect(JSON.stringify(doc.artifacts).length).toBeLessThan(3 * 1024 ** 2);
  doc = applyChange(doc, collect(doc, 1, { artifactId: 2, ...file("b") }, 40));
  doc = { ...doc, ...resetArtifacts(doc) };
  match(0);
  expect(doc.artifacts.length).toBe(2);
});

it("a VM's disk belongs to the job that ran last, until the build is requeued", () => {
  const first = aBuild().jobs[0]!;
  const jobs = [
    { ...first, id: 1, status: "passed" as const },
    { ...first, id: 2, status: "running" as const },
  ];
  let doc: BuildDoc = { ...running([{ ...entry(1, "/dev/vda", "machine.qcow2"), jobId: 1 }]), jobs };
  for (const blob of ["b1", "b2"]) {
    doc = applyChange(doc, collect(doc, 1, { artifactId: 1, ...file(blob) }, 50));
    expect(names(doc)).toEqual([[1, "/dev/vda", "machine.qcow2", blob]]);
    expect(doc.artifacts[0]!.jobId).toBe(2);
  }
  const [again] = resetArtifacts(doc).artifacts;
  expect(again).toEqual({ ...entry(1, "/dev/vda", "machine.qcow2"), jobId: 1 });
});

it("rejects an upload to a final build", () => {
  const doc = { ...running([entry(1, "a", "a")]), status: "killed" as const };
  expect(() => collect(doc, 1, { artifactId: 1, ...file("b") }, 50)).toThrow("is over");
});

it("rejects an old epoch and an unknown entry", () => {
  const doc = running([entry(1, "a", "a")]);
  expect(() => collect(doc, 0, { artifactId: 1, ...file("b") }, 50)).toThrow("no longer held");
  expect(() => collect(doc, 1, { artifactId: 9, ...file("b") }, 50)).toThrow("no artifact 9");
});
