import type { PutArtifactRequest } from "@ci/proto/builds/v1/queue";
import { turnsDuring } from "@ci/testkit/turns-during";
import { secretsOf } from "../output/secrets.js";
import { masked } from "../output/texts.js";
import { type Collecting, collectArtifacts } from "./artifacts.js";

test("other work gets its turn while a long name of an artifact is masked", async () => {
  const name = "a secret, ".repeat(50_000);
  const secrets = await secretsOf({ variables: [{ key: "K", value: "secret", masked: true }], keys: [] });
  const parts: PutArtifactRequest["part"][] = [];
  const on = {
    environment: {
      async *list() {
        yield { path: "secret.txt", kind: "file" };
      },
      open: async () => ({ sizeBytes: 0, content: (async function* () {})(), close: async () => undefined }),
    },
    queue: {
      async putArtifact(messages: AsyncIterable<PutArtifactRequest>) {
        for await (const { part } of messages) parts.push(part);
      },
    },
    mark: { buildId: 1, epoch: 1 },
    limitBytes: 1,
    hide: (text: string) => masked(secrets, text),
    say: () => undefined,
    signal: new AbortController().signal,
  };
  const collected = collectArtifacts([{ id: 1, source: "*.txt", name: `${name}*` }], on as unknown as Collecting);
  expect(await turnsDuring(collected)).toBeGreaterThan(name.length / 8_192 - 2);
  expect(parts[0]?.value).toMatchObject({
    source: "xxxxxx.txt",
    name: `${name.replaceAll("secret", "xxxxxx")}xxxxxx.txt`,
  });
});
