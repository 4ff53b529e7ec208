import { readManifest } from "@ci/manifest/manifest";
import { listedManifest } from "./listed.js";

test.each(["", "a: b", "x".repeat(65_536)])("a manifest of up to 64 KiB is listed as it is", (text) => {
  expect(listedManifest(text)).toBe(text);
});

test("of a longer manifest the beginning is listed, up to a whole character", () => {
  expect(listedManifest("x".repeat(100_000))).toBe(`${"x".repeat(65_536)}\n[ # 34464 bytes left out, see url\n`);
  expect(listedManifest(`x${"ü".repeat(50_000)}`)).toBe(
    `x${"ü".repeat(32_767)}\n[ # ${100_001 - 65_535} bytes left out, see url\n`,
  );
});

const head = "driver: {type: os}\n";
const long = "x".repeat(70_000);
test.each([
  ["between two jobs", `${head}jobs:\n${"- {commands: [a]}\n".repeat(10_000)}`],
  ["in a block of text", `${head}jobs:\n- commands:\n  - |\n${"    echo a\n".repeat(10_000)}`],
  ["in a comment", `${head}jobs: [{commands: [a]}] # ${long}`],
  ["in a quoted text", `${head}jobs:\n- commands: ["${long}"]\n`],
  ["in a plain text", `${head}jobs:\n- commands:\n  - ${long}\n`],
  ["in a list", `${head}jobs: [${"{commands: [a]}, ".repeat(10_000)}]\n`],
  ["after the end of the document", `${head}jobs: [{commands: [a]}]\n---\n${"# a\n".repeat(30_000)}`],
])("a manifest that was cut %s is invalid", (_where, text) => {
  const limits = { maxBytes: 2 ** 20, maxStages: 100, maxJobs: 20_000 };
  const { length } = Buffer.from(text);
  expect(length).toBeGreaterThan(64 * 1024);
  expect(readManifest(listedManifest(text), limits)).not.toHaveProperty("manifest");
});
