import { type ResourceLimits, Worker } from "node:worker_threads";
import { threads } from "../src/process/threads.js";

/** Answers a number with the thread's id, and does other tasks until it is ended. */
const code = `
const { parentPort, threadId } = require("node:worker_threads");
parentPort.on("message", (task) => {
  if (task === "hang") for (;;);
  if (task === "grow") for (const all = []; ; ) all.push(new Array(1_000).fill(task.length + all.length));
  if (task === "throw") throw new Error("a mistake");
  parentPort.postMessage([task, threadId]);
});`;

function manual(taskMs = 60_000, idleMs = 60_000) {
  const started: Worker[] = [];
  const start = (resourceLimits: ResourceLimits) => {
    const worker = new Worker(code, { eval: true, resourceLimits });
    started.push(worker);
    return worker;
  };
  const run = threads(start, { taskMs, idleMs, heapMb: 16 }) as (task: unknown) => Promise<[unknown, number]>;
  return {
    run,
    started,
    [Symbol.asyncDispose]: async () => void (await Promise.all(started.map((one) => one.terminate()))),
  };
}

test("one thread does all tasks that come one after another", async () => {
  await using pool = manual();
  const ids = [];
  for (const nth of [1, 2, 3]) {
    const [task, id] = await pool.run(nth);
    expect(task).toBe(nth);
    ids.push(id);
  }
  expect([new Set(ids).size, pool.started.length]).toEqual([1, 1]);
});

test.each([
  ["hang", 300, { limit: "0.3 s" }],
  ["grow", 60_000, { limit: "16 MiB" }],
  ["throw", 60_000, { message: "a mistake" }],
])("a task that would %s ends its own thread and no other", async (task, taskMs, failure) => {
  await using pool = manual(taskMs);
  await using others = manual();
  const other = others.run(1);
  await expect(pool.run(task)).rejects.toMatchObject(failure);
  expect(await other).toEqual([1, expect.any(Number)]);
  const [second] = await others.run(2);
  expect([second, others.started.length]).toEqual([2, 1]);
});

test("a failed task leaves the next one a thread", async () => {
  await using pool = manual();
  const [, first] = await pool.run(1);
  await expect(pool.run("throw")).rejects.toThrow("a mistake");
  const [task, second] = await pool.run(2);
  expect([task, second === first]).toEqual([2, false]);
});

test("a thread that ended without work gets no task", async () => {
  await using pool = manual();
  const [, first] = await pool.run(1);
  await pool.started[0]!.terminate();
  const [task, second] = await pool.run(2);
  expect([task, second === first]).toEqual([2, false]);
});

test("a thread without work ends", async () => {
  await using pool = manual(60_000, 1);
  await pool.run(1);
  await new Promise((resolve) => pool.started[0]!.once("exit", resolve));
});
