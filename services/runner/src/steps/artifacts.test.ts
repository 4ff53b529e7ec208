import { type Collecting, collectArtifacts } from "./artifacts.js";

test("a name that is too long for the matches of a glob keeps none of them, and the next artifact is collected", async () => {
  const said: string[] = [];
  const sources: (string | undefined)[] = [];
  const on = {
    environment: {
      async *list() {
        yield { path: "a.txt", kind: "file" };
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
  const artifacts = [
    { id: 1, source: "*.txt", name: `${"n".repeat(4_096)}*` },
    { id: 2, source: "*.txt", name: `${"n".repeat(10)}*` },
  ];
  await collectArtifacts(artifacts, on as unknown as Collecting);
  expect(said).toEqual([
    "artifact error: *.txt: the name is longer than 4096 characters",
    "Collecting artifact a.txt => nnnnnnnnnna.txt",
  ]);
  expect(sources).toEqual(["a.txt"]);
});
