import { pack } from "tar-stream";
import type { Trees } from "../src/driver.js";
import { DiskFull, HostTrouble } from "../src/endings/errors.js";
import { anAssignment } from "./_assignment.js";
import { buildCollecting } from "./_collecting.js";
import { bareEnvironments } from "./_environment.js";
import { textOf } from "./_subject.js";

const { runIn } = bareEnvironments();
const run = async () => 0;
const trouble = new HostTrouble("Docker Engine cannot be reached");

const treesThat = (place: Trees["place"]): Trees => ({
  layout: { roots: [""], isAbsolute: false },
  locate: (path) => path,
  nameOf: (path) => path,
  async *read() {
    const archive = pack();
    archive.entry({ name: "kept" }, "text");
    archive.finalize();
    yield { folder: "", content: archive as AsyncIterable<Uint8Array> };
  },
  place,
});

/** Stores a cache, and runs a build that fails to place it. */
async function runPlacing(name: string, error: Error) {
  const caches = [{ name, key: [], paths: ["kept"] }];
  const trees = treesThat(() => Promise.reject(error));
  const { text } = await runIn(anAssignment({ caches }, ["make"]), { run, trees });
  expect(text).toContain(`Cache ${name}: stored 1 file,`);
  return runIn(anAssignment({ caches }, ["use"]), { run, trees });
}

test("a build goes back if its machine placed only a part of a cache", async () => {
  await expect(runPlacing("a", trouble)).rejects.toBeInstanceOf(HostTrouble);
});

test("a build whose cache does not fit the disk runs without it, and stores nothing of it", async () => {
  const { text } = await runPlacing("b", new DiskFull("The disk of the engine is full"));
  expect(text).toContain("cache error: b: The disk of the engine is full");
  expect(text).not.toContain("stored");
});

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("te");
  throw trouble;
}

test("artifacts are collected once the container engine is back", async () => {
  const contents = [undefined, breaking(), textOf("text")];
  const { text, artifacts } = await runIn(buildCollecting(["make"], ["file"]), {
    run,
    async open() {
      const content = contents.shift();
      if (!content) throw trouble;
      return { sizeBytes: 4, content, close: async () => undefined };
    },
  });
  expect(text).not.toContain("artifact error");
  expect(artifacts.at(-1)!.content.toString()).toBe("text");
});
