import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { pipesIn } from "../src/drivers/os/pipe.js";
import { aFolder } from "./_os.js";

const namesIn = async (folder: string) => (await readdir(folder)).filter((name) => name.startsWith("pipe."));

/** Runs `work` while no program can be found, so that no process can make a pipe. */
async function withoutPrograms(work: () => Promise<void>): Promise<void> {
  const { PATH } = process.env;
  process.env.PATH = "/nonexistent";
  try {
    await work();
  } finally {
    process.env.PATH = PATH;
  }
}

test("one process makes the pipes of many jobs, each its own", async () => {
  const pipes = await pipesIn(aFolder());
  const taken = new Set([await pipes.take()]);
  await withoutPrograms(async () => {
    for (let nth = 0; nth < 20; nth++) taken.add(await pipes.take());
  });
  expect([...taken].filter(existsSync)).toHaveLength(21);
});

test("more pipes are made before the last one is taken", async () => {
  const folder = aFolder();
  const pipes = await pipesIn(folder);
  for (let nth = 0; nth < 30; nth++) await rm(await pipes.take());
  pipes.refill();
  await eventually(async () => expect((await namesIn(folder)).length).toBeGreaterThan(30));
});

test("jobs that take many pipes at once each get one", async () => {
  const pipes = await pipesIn(aFolder());
  const taken = await Promise.all(Array.from({ length: 100 }, () => pipes.take()));
  expect(new Set(taken).size).toBe(100);
});

test("a failure reaches the job that needs a pipe", async () => {
  const folder = join(aFolder(), "runner");
  await mkdir(folder);
  const pipes = await pipesIn(folder);
  await pipes.take();
  await rm(folder, { recursive: true });
  await expect(pipes.take()).rejects.toThrow("mkfifo ended with 1");
});

test("pipes that something removed meanwhile are not used", async () => {
  const folder = aFolder();
  const pipes = await pipesIn(folder);
  await pipes.take();
  for (const name of await namesIn(folder)) await rm(join(folder, name));
  expect(existsSync(await pipes.take())).toBe(true);
});

test("pipes of an earlier process are removed", async () => {
  const folder = aFolder();
  const before = await (await pipesIn(folder)).take();
  const pipes = await pipesIn(folder);
  await pipes.take();
  expect(existsSync(before)).toBe(false);
});
