import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, leaseMs } from "./_suite.js";

const on = bootBuilds({ runningPerUser: 1 });

const none = "Waiting: no runner serves the os driver";
const busy = "Waiting: no runner of the os driver is free yet";
const limited = "Waiting: the limit of builds that run for this user at the same time is reached";

/** Follows an output, from now on; `over` resolves at its end. */
function follow(ref: { userId: number; number: number }, job?: string) {
  const waiting: string[] = [];
  const pieces: { text: string; offset: number }[] = [];
  const over = on.as(on.users.ann, async () => {
    for await (const { item } of on.builds.watchOutput({ ref, job, offset: 0 })) {
      if (item?.$case === "waiting") waiting.push(item.value.text);
      if (item?.$case === "piece") pieces.push(item.value);
      if (item?.$case === "end") return item.value.status;
    }
    throw new Error("The stream has no end");
  });
  return { waiting, pieces, over };
}

it("says what a queued build waits for, and again when that changes", async () => {
  const first = await on.submit(on.users.ann);
  const second = await on.submit(on.users.ann);
  const ref = { userId: second.userId, number: second.number };
  const whole = follow(ref);
  const said = async (waiting: string[]) => eventually(() => expect(whole.waiting).toEqual(waiting));
  await said([none]);
  const held = (await on.claim())!;
  expect(held.buildId).toBe(first.id);
  await said([none, limited]);
  await on.finish(held, 0, "failed");
  await said([none, limited, busy]);
  const job = follow(ref, "make.1");
  await eventually(() => expect(job.waiting).toEqual([busy]));
  await on.elapse(3 * leaseMs);
  await said([none, limited, busy, none]);

  // While it runs it waits for nothing; back in the queue it is said again.
  const got = (await on.claim())!;
  await on.queue.appendOutput({ ...got, jobId: got.jobs[0]!.id, offset: 0, text: "Preparing\n" });
  await on.loseRunners();
  const lost = "Runner lost, build queued again (1 of 2)\n";
  await eventually(() => expect(whole.pieces.map(({ text }) => text).join("")).toBe(`Preparing\n${lost}`));
  await eventually(() => expect(whole.waiting.length).toBeGreaterThan(4));
  expect(whole.waiting.slice(4)).not.toContain(limited);

  // Nothing of it is part of the text.
  await on.as(on.users.ann, () => on.builds.killBuild({ ref }));
  expect(await whole.over).toBe("killed");
  expect(await job.over).toBe("killed");
  expect(whole.pieces.at(-1)!.offset).toBe(10 + lost.length);
  const { build } = await on.as(on.users.ann, () => on.builds.getBuild({ ref, brief: false }));
  expect(build!.output).toBe(`Preparing\n${lost}`);
  const again = follow(ref);
  expect(await again.over).toBe("killed");
  expect(again.waiting).toEqual([]);
});
