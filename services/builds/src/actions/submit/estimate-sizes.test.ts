import { encrypt, parseKeys } from "@ci/kit/security/secrets";
import { type Manifest, readManifest } from "@ci/manifest/manifest";
import { turnsDuring } from "@ci/testkit/turns-during";
import { membersOf } from "../../domain/group.js";
import { newBuild } from "../../domain/new-build.js";
import { asStored, newSize } from "../../store/new-builds.js";
import { type Draft, estimateSizes, isClearlySmall, spareBytes } from "./estimate-sizes.js";

const keyring = parseKeys(`key-of-2026:${Buffer.alloc(32).toString("base64")}`);
const now = () => new Date("2026-03-01T12:00:00Z");
const ctx = { config: { keyring }, now } as never;
const key = { id: 1, name: "k", config: "Host *", privateKey: "é".repeat(3_000) };
const variables = [0, 1, 2].map((id) => ({ id, key: `V${id}`, value: "€\u0001".repeat(1_000 + id), masked: id > 0 }));
const objects = [{ id: 9, name: "o", type: "text/plain", md5: "m".repeat(32), sha256: "s".repeat(64) }];
const inputs = { variables, keys: [key], objects } as never;

function manifestOf(text: string): Manifest {
  const read = readManifest(text, { maxBytes: 2 ** 20, maxStages: 100, maxJobs: 500 });
  if (!("manifest" in read)) throw new Error(read.complaints.map(({ message }) => message).join());
  return read.manifest;
}

const jobs = Array.from(
  { length: 50 },
  (_, n) => `- {stage: t, commands: [a, "${"b".repeat(n)}"], artifacts: [f${n}]}\n`,
);
const head = "driver: {type: docker, image: a, workspace: /w}\nstages: [t]\n";
const manifests = {
  "no jobs": head,
  "many jobs": `${head}env: [A=b]\nobjects: [o]\njobs:\n${jobs.join("")}`,
  "a long text with control characters": `${head}# ${"é\t".repeat(9_000)}\njobs:\n${jobs.join("")}`,
  "a short text with control characters": `${head}# ${"\t".repeat(9_000)}\n`,
  "a matrix": `matrix: {N: [1, 2, 3]}\n${head}jobs:\n${jobs.join("")}`,
};

test("an estimate is left out only for a single short manifest with short inputs", () => {
  const small = (text: string, given = inputs) =>
    isClearlySmall({ text, manifest: manifestOf(text), tags: [], userId: 7, trigger: () => ({}) as never }, given);
  const none = { variables: [], keys: [], objects: [] } as never;
  expect(small(head, none)).toBe(true);
  expect(small(head)).toBe(false);
  expect(small(`matrix: {N: [1, 2]}\n${head}`, none)).toBe(false);
  expect(small(`${head}# ${"x".repeat(9_000)}`, none)).toBe(false);
  const repeated = `${head}jobs:\n- {stage: t, commands: &c ["${"x".repeat(1_000)}"]}\n${"- {stage: t, commands: *c}\n".repeat(9)}`;
  expect(small(repeated, none)).toBe(false);
});

test.each(Object.entries(manifests))(
  "the estimate of a build with %s is not too low, and not far too high",
  async (_, text) => {
    const manifest = manifestOf(text);
    const trigger: Draft["trigger"] = ({ email, username }) => ({
      type: "manual",
      comment: "c",
      data: { email, username },
    });
    const draft: Draft = {
      text,
      manifest,
      tags: ["a", "b".repeat(100)],
      userId: 7,
      actorId: 7,
      name: "team/of",
      trigger,
    };
    const sizes = await estimateSizes(ctx, draft, inputs);
    const members = membersOf(manifest);
    expect(sizes).toHaveLength(members.length);
    const ids = { build: 3e9, job: 4e9, artifact: 5e9, tag: 6e9, object: 7e9, variable: 8e9, key: 9e9 };
    const namespace = { id: 4e9, userId: 3e9, rootId: 4e9, path: "team/of", ancestorIds: [4e9, 5e9] } as never;
    const place = { position: 500, reason: "waiting for a runner" };
    const stored = {
      ...draft,
      inputs,
      namespace,
      place,
      submitter: "ann",
      trigger: trigger({ email: "ann@example.com", username: "ann" }, now()),
    };
    for (const [index, member] of members.entries()) {
      const group = members.length > 1 ? { id: 3e9, size: 3, index } : undefined;
      const doc = newBuild({ ...stored, ...member, group }, ids, 1_000, now(), (value, kind, id) =>
        encrypt(keyring, value, { kind, id }),
      );
      const actual = newSize(asStored(doc));
      for (const field of ["bytes", "bytesWithEvents"] as const) {
        expect(sizes[index]![field]).toBeGreaterThanOrEqual(actual[field]);
        expect(sizes[index]![field]).toBeLessThan(actual[field] + 32 * 1024);
        expect(sizes[index]![field] - spareBytes).toBeGreaterThan(0.9 * actual[field]);
      }
    }
  },
);

test("other work has its turn before and after the estimate of a single build", async () => {
  const trigger = () => ({ type: "manual", comment: "", data: {} }) as const;
  const draft = { text: head, manifest: manifestOf(head), tags: [], userId: 7, trigger };
  expect(await turnsDuring(estimateSizes(ctx, draft, inputs))).toBeGreaterThan(0);
});
