import { connectBus } from "@ci/kit/bus/bus";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, leaseMs, manifest } from "./_suite.js";
import { crowd, storedBuild } from "./queue/_crowd.js";

const suite = bootBuilds({ runningPerUser: 1 });

const none = "Waiting: no runner serves the os driver";
const busy = "Waiting: no runner of the os driver is free yet";
const groupBusy = "Waiting: another build of its group is running";
const unapproved = "Waiting: a member has to approve this build, which comes from a fork";
const limited = "Waiting: this user has reached the limit of builds that run at the same time";

/** Watches an output. `end` resolves to the status at its end. */
function follow(
  ref: { userId: number; number: number },
  job?: string,
  { builds }: Pick<typeof suite, "builds"> = suite,
) {
  const waiting: string[] = [];
  const pieces: { text: string; offset: number }[] = [];
  let open = false;
  const end = suite.as(suite.users.ann, async () => {
    for await (const { item } of builds.watchOutput({ ref, job, offset: 0 })) {
      open = true;
      if (item?.$case === "waiting") waiting.push(item.value.text);
      if (item?.$case === "piece") pieces.push(item.value);
      if (item?.$case === "end") return item.value.status;
    }
    throw new Error("The stream has no end");
  });
  return { waiting, pieces, end, isOpen: () => open };
}

it("a watcher of a queued build receives each change of what the build waits for", async () => {
  const first = await suite.submit(suite.users.ann);
  const second = await suite.submit(suite.users.ann);
  const ref = { userId: second.userId, number: second.number };
  const buildWatch = follow(ref);
  // The first claim makes the runner known before it reaches the limit, and a reader may see what is between.
  const seen = () => {
    const { waiting } = buildWatch;
    return waiting.filter((text, nth) => !(nth === 1 && text === busy && waiting[2] === limited));
  };
  const waitingIs = async (waiting: string[]) => eventually(() => expect(seen()).toEqual(waiting));
  await waitingIs([none]);
  const firstAssignment = (await suite.claim())!;
  expect(firstAssignment.buildId).toBe(first.id);
  await waitingIs([none, limited]);
  await suite.finish(firstAssignment, 0, "failed");
  await waitingIs([none, limited, busy]);
  const jobWatch = follow(ref, "make.1");
  await eventually(() => expect(jobWatch.waiting).toEqual([busy]));
  await suite.elapse(3 * leaseMs);
  await waitingIs([none, limited, busy, none]);

  // A running build waits for nothing. Back in the queue, the watcher gets the reason again.
  const assignment = (await suite.claim())!;
  await suite.queue.appendOutput({ ...assignment, jobId: assignment.jobs[0]!.id, offset: 0, text: "Preparing\n" });
  await suite.loseRunners();
  const lost = "Runner lost, build queued again (1 of 2)\n";
  await eventually(() => expect(buildWatch.pieces.map(({ text }) => text).join("")).toBe(`Preparing\n${lost}`));
  await eventually(() => expect(seen().length).toBeGreaterThan(4));
  expect(seen().slice(4)).not.toContain(limited);

  // The reasons are not part of the output.
  await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref }));
  expect(await buildWatch.end).toBe("killed");
  expect(await jobWatch.end).toBe("killed");
  const killed = `Build killed by ${suite.users.ann.username}\n`;
  expect(buildWatch.pieces.at(-1)).toMatchObject({ text: killed, offset: 10 + lost.length + killed.length });
  const { build } = await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }));
  expect(build!.output).toBe(`Preparing\n${lost}${killed}`);
  const lateWatch = follow(ref);
  expect(await lateWatch.end).toBe("killed");
  expect(lateWatch.waiting).toEqual([]);
});

it("a watcher of a queued build receives that its group is busy, or that a member has to approve it", async () => {
  const { ann } = suite.users;
  const inGroup = `concurrency: {group: g}${manifest}`;
  await suite.submit(suite.users.bob, inGroup);
  const running = (await suite.claim())!;
  const queued = await suite.submit(ann, manifest);
  const key = (await storedBuild(suite.database(), running.buildId)).concurrency;
  const copies = await crowd(suite.database(), await storedBuild(suite.database(), queued.id), 2, [ann.id], (nth) =>
    nth === 0 ? { concurrency: key } : { awaitsApproval: true },
  );
  const [ofGroup, ofFork] = copies.map(({ userId, number }) => follow({ userId, number }));
  await eventually(() => expect(ofGroup!.waiting).toEqual([groupBusy]));
  await eventually(() => expect(ofFork!.waiting).toEqual([unapproved]));
  await suite.finish(running, 0, "failed");
  await eventually(() => expect(ofGroup!.waiting).toEqual([groupBusy, busy]));
  for (const { userId, number } of [queued, ...copies])
    await suite.as(ann, () => suite.builds.killBuild({ ref: { userId, number } }));
  expect(await Promise.all([ofGroup!.end, ofFork!.end])).toEqual(["killed", "killed"]);
});

it("a watcher of a build that starts at once is not told what it waited for", async () => {
  // In this replica no time passes.
  const at = suite.now();
  const replica = await suite.replica(() => at);
  const { userId, number } = await suite.submit(suite.users.ann);
  const watch = follow({ userId, number }, undefined, replica);
  await eventually(() => expect(watch.isOpen()).toBe(true));
  const assignment = (await suite.claim())!;
  await suite.queue.appendOutput({ ...assignment, jobId: assignment.jobs[0]!.id, offset: 0, text: "Preparing\n" });
  await eventually(() => expect(watch.pieces).toHaveLength(1));
  expect(watch.waiting).toEqual([]);
  await suite.finish(assignment, 0, "failed", "", "Preparing\n".length);
  expect(await watch.end).toBe("failed");
});

it("the last piece brings the end to a client that accepts it there", async () => {
  const { userId, number } = await suite.submit(suite.users.bob);
  const ref = { userId, number };
  const messages = (job: string | undefined, timestamps: boolean, acceptsEndOfPiece: boolean) =>
    suite.as(suite.users.bob, async () => {
      const received: unknown[] = [];
      for await (const { item, endOfPiece } of suite.builds.watchOutput({
        ...{ ref, offset: 0, job, timestamps, acceptsEndOfPiece },
      }))
        if (item && item.$case !== "waiting")
          received.push([item.$case, ...("text" in item.value ? [item.value.offset] : []), endOfPiece?.status]);
      return received;
    });
  const assignment = (await suite.claim())!;
  const live = messages("make.1", false, true);
  const long = "x".repeat(10_000);
  await suite.finish(assignment, 0, "passed", long);
  await suite.finish(assignment, 1, "passed", "made\n", 10_000);
  expect(await live).toEqual([["piece", 5, "passed"]]);
  await suite.finish(assignment, 2, "failed", "", 10_005);
  for (const timestamps of [false, true]) {
    expect(await messages("make.1", timestamps, true)).toEqual([["piece", 5, "passed"]]);
    expect(await messages("make.1", timestamps, false)).toEqual([
      ["piece", 5, undefined],
      ["end", undefined],
    ]);
    const all = await messages(undefined, timestamps, true);
    expect(all.slice(-2)).toEqual([
      ["piece", 10_005, undefined],
      ["end", undefined],
    ]);
    expect(await messages("unit", timestamps, true)).toEqual([["end", undefined]]);
  }
});

it.each([false, true])(
  "a watcher of a service receives all that it prints, then the end (of a piece: %s)",
  async (ofPiece) => {
    const { ann } = suite.users;
    const { userId, number } = await suite.submit(
      ann,
      `{driver: {type: docker, image: alpine, workspace: /w}, services: [{name: db, image: redis}], jobs: [{commands: [a]}]}`,
    );
    const ref = { userId, number };
    const { assignment } = await suite.queue.claimBuild({ runnerId: "r1", drivers: ["docker"] });
    const received: string[] = [];
    const watching = suite.as(ann, async () => {
      const request = { ref, job: "service.db", offset: 0, acceptsEndOfPiece: ofPiece };
      for await (const { item, endOfPiece } of suite.builds.watchOutput(request)) {
        if (item?.$case === "piece") received.push(item.value.text);
        const status = endOfPiece?.status ?? (item?.$case === "end" ? item.value.status : undefined);
        if (status !== undefined) received.push(status);
      }
    });
    const ready = "Service db is ready\n";
    await suite.finish(assignment!, 0, "passed");
    await suite.finish(assignment!, 1, "passed", ready);
    await eventually(() => expect(received).toEqual([ready]));
    const piece = { ...assignment!, jobId: assignment!.jobs[1]!.id, offset: 0, jobOffset: ready.length, text: "log\n" };
    await suite.queue.appendOutput(piece);
    await eventually(() => expect(received).toEqual([ready, "log\n"]));
    await suite.finish(assignment!, 2, "failed", "", ready.length + 4);
    await watching;
    expect(received).toEqual([ready, "log\n", "passed"]);
  },
);

it("other replicas hear of what their watchers receive: the end of a build, but not its claim", async () => {
  const { natsUrl, subjectPrefix } = suite.names;
  await using bus = await connectBus(natsUrl, subjectPrefix, "test", createLog("test", "silent"));
  const heard: string[] = [];
  bus.onNudge("output.*", (_, topic) => heard.push(topic));
  await eventually(() => {
    bus.nudge("output.0");
    expect(heard).toContain("output.0");
  });
  const { id, userId, number } = await suite.submit(suite.users.ann);
  const { end } = follow({ userId, number }, undefined, { ...suite, ...(await suite.replica()) });
  await suite.finish((await suite.claim())!, 0, "failed");
  expect(await end).toBe("failed");
  await eventually(() => expect(heard).toContain(`output.${id}`));
  expect(heard.filter((topic) => topic === `output.${id}`)).toHaveLength(1);
});

it("the user of a build still sees its output when its namespace is deleted", async () => {
  const { ann } = suite.users;
  const namespace = await suite.accounts.aNamespace(ann, "closing");
  const { userId, number } = await suite.submit(ann, `namespace: closing${manifest}`);
  const ref = { userId, number };
  await suite.as(ann, () => suite.builds.killBuild({ ref }));
  expect(await follow(ref).end).toBe("killed");
  await suite.as(ann, () => suite.accounts.namespaces.deleteNamespace({ id: namespace.id }));
  await eventually(async () => {
    const { build } = await suite.as(ann, () => suite.builds.getBuild({ ref, brief: false }));
    expect(build!.namespaceId).toBeUndefined();
  });
  expect(await follow(ref).end).toBe("killed");
});
