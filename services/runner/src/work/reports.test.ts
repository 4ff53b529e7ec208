import type { FinishJobRequest } from "@ci/proto/builds/v1/queue";
import { turnsDuring } from "@ci/testkit/turns-during";
import { secretsOf } from "../output/secrets.js";
import { reportsOf } from "./reports.js";

test("other work gets its turn while a long reason is masked", async () => {
  const why = "a secret, ".repeat(50_000);
  const asked: FinishJobRequest[] = [];
  const reports = reportsOf({
    queue: {
      appendOutput: async () => ({}),
      recordVerdict: async () => ({}),
      finishJob: async (ask) => {
        asked.push(ask as FinishJobRequest);
        return { final: true };
      },
    },
    mark: { buildId: 1, epoch: 1 },
    lease: { lost: new AbortController().signal, lose: () => undefined },
    secrets: await secretsOf({ variables: [{ key: "K", value: "secret", masked: true }], keys: [] }),
    jobId: 1,
    started: async () => undefined,
    beside: false,
  });
  const finished = reports.finish({ outcome: "failed", why, offset: 0, text: "" });
  expect(await turnsDuring(finished)).toBeGreaterThan(why.length / 8_192 - 2);
  expect(asked.map(({ reason }) => reason)).toEqual([why.replaceAll("secret", "xxxxxx")]);
});
