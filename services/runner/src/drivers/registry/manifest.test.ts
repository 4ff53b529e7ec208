import { createHash } from "node:crypto";
import { turnsDuring } from "@ci/testkit/turns-during";
import { diffIdsOf } from "./diff-ids.js";
import { parseManifest } from "./manifest.js";

const platform = { os: "linux", architecture: "amd64" };
const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const layers = Array.from({ length: 127 }, (_, index) => ({ digest: digestOf(`${index}`), size: index }));
const manifest = (extra: object) =>
  Buffer.from(JSON.stringify({ schemaVersion: 2, config: { digest: digestOf("config"), size: 1 }, layers, ...extra }));
const configuration = (extra: object) =>
  Buffer.from(JSON.stringify({ rootfs: { diff_ids: layers.map(({ digest }) => digest) }, ...extra }));
const many = { annotations: Array.from({ length: 20_000 }, () => []) };
const deep = { annotations: JSON.parse("[".repeat(32) + "]".repeat(32)) };

test("an image of 127 layers is read", async () => {
  expect(await parseManifest(manifest({}), platform)).toMatchObject({ layers });
  expect(await diffIdsOf(configuration({}))).toHaveLength(127);
});

test("a manifest or a configuration of many values or levels is refused", async () => {
  await expect(parseManifest(manifest(many), platform)).rejects.toThrow("its manifest has more than 20000 values");
  await expect(parseManifest(manifest(deep), platform)).rejects.toThrow("its manifest is nested more than 32 levels");
  await expect(diffIdsOf(configuration(many))).rejects.toThrow("its configuration has more than 20000 values");
  await expect(diffIdsOf(configuration(deep))).rejects.toThrow("its configuration is nested more than 32 levels");
});

test("a manifest that is not UTF-8 is refused", async () => {
  const bytes = Buffer.from('{"schemaVersion":2,"x":"\xff"}', "latin1");
  await expect(parseManifest(bytes, platform)).rejects.toThrow("its manifest is not UTF-8");
});

test("other work has its turn while a manifest of 4 MiB is checked", async () => {
  const large = manifest({ annotations: "x".repeat(4 * 1024 ** 2) });
  expect(await turnsDuring(parseManifest(large, platform))).toBeGreaterThan(50);
});
