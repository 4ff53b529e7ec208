import type { AssignedArtifact } from "@ci/proto/builds/v1/queue";
import { type Collecting, collectArtifacts } from "./artifacts.js";

/** Collects artifacts of an environment with these empty files. Returns what that says, and the sources that it stores. */
async function collected(artifacts: readonly AssignedArtifact[], paths = ["a.txt"]) {
  const said: string[] = [];
  const sources: (string | undefined)[] = [];
  const on = {
    environment: {
      async *list() {
        for (const path of paths) yield { path, kind: "file" };
      },
      open: async () => ({ sizeBytes: 0, content: (async function* () {})(), close: async () => undefined }),
    },
    queue: {
      async putArtifact(messages: AsyncIterable<{ part?: { $case: string; value: { source?: string } } }>) {
        for await (const { part } of messages) if (part?.$case === "header") sources.push(part.value.source);
      },
    },
    mark: { buildId: 1, epoch: 1 },
    limitBytes: 1,
    hide: async (text: string) => text,
    say: (line: string) => void said.push(line),
    signal: new AbortController().signal,
  };
  await collectArtifacts(artifacts, on as unknown as Collecting);
  return { said, sources };
}

test("a name that is too long for the matches of a glob keeps none of them, and the next artifact is collected", async () => {
  const { said, sources } = await collected([
    { id: 1, source: "*.txt", name: `${"n".repeat(4_096)}*` },
    { id: 2, source: "*.txt", name: `${"n".repeat(10)}*` },
  ]);
  expect(said).toEqual([
    "artifact error: *.txt: the name is longer than 4096 characters",
    "Collecting artifact a.txt => nnnnnnnnnna.txt",
  ]);
  expect(sources).toEqual(["a.txt"]);
});

test.each([
  ["*/copy-of-*", "a.txt/copy-of-a.txt"],
  ["**-*$&*", "a.txt-a.txt$&a.txt"],
])("each star of the name %s stands for the name of the file", async (name, made) => {
  const { said } = await collected([{ id: 1, source: "*.txt", name }]);
  expect(said).toEqual([`Collecting artifact a.txt => ${made}`]);
});

test("a file whose stars would make its name too long is not collected, and the others are", async () => {
  const [short, long] = ["a".repeat(4), "b".repeat(250)];
  const name = "*-".repeat(819);
  const { said, sources } = await collected([{ id: 1, source: "*", name: `${name}-` }], [long, short]);
  expect(said).toEqual([
    `artifact error: ${long}: the name would be longer than 4096 characters`,
    `Collecting artifact ${short} => ${name.replaceAll("*", short)}-`,
  ]);
  expect(sources).toEqual([short]);
});
