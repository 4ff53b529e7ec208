import type { Driver, Environment, Job, Mark, Order } from "../src/driver.js";
import { installation } from "./_assignment.js";

/** A driver under test, with helpers that inspect it. */
export interface Subject {
  readonly driver: Driver;
  /** The image and the workspace that orders need for this driver. */
  readonly order: Pick<Order, "image" | "workspace">;
  /** Absolute path of a private folder in the environment, outside the working directory. */
  readonly elsewhere: string;
  /** Returns the number of running processes of a build. */
  processes(buildId: number): Promise<number>;
  /** Reports whether a process of the build, or its container or machine, still runs. */
  runs(buildId: number): Promise<boolean>;
  /** Lists everything on this machine that was created for the build. */
  traces(buildId: number): Promise<string[]>;
  /** Returns a shared, clean environment, for drivers whose environments are slow to create. */
  shared?(): Promise<Pick<Place, "environment"> & { readonly mark: Mark }>;
}

let lastId = Math.floor(Math.random() * 1_000_000_000);
const nextId = () => ++lastId;

/** Returns an order for jobs with these scripts. */
export function orderOf(subject: Pick<Subject, "order">, scripts: readonly string[], more: Partial<Order> = {}): Order {
  const jobs = scripts.map((script) => ({ id: nextId(), script: `exec 2>&1\nset -e\n${script}\n` }));
  const mark = { installation, buildId: nextId(), epoch: 1 };
  return { mark, pullAlways: false, variables: [], jobs, ...subject.order, ...more };
}

export const never = new AbortController().signal;

/** Runs one job and returns its exit code and output. */
export async function ran(environment: Environment, job: Job, signal = never): Promise<{ code: number; text: string }> {
  const chunks: Uint8Array[] = [];
  const code = await environment.run(job, async (bytes) => void chunks.push(Buffer.from(bytes)), signal);
  return { code, text: Buffer.concat(chunks).toString() };
}

/** Runs one job in a new environment and returns its output. */
export async function printed(subject: Subject, script: string, more: Partial<Order> = {}): Promise<string> {
  const order = orderOf(subject, [script], more);
  if (subject.shared && !more.variables) return (await ran((await subject.shared()).environment, order.jobs[0]!)).text;
  await using environment = subject.driver.environment(order);
  await environment.prepare(() => undefined, never);
  return (await ran(environment, order.jobs[0]!)).text;
}

/** Yields a text as the content of a file. */
export async function* textOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Reads a file of the environment. */
export async function contentOf(environment: Environment, path: string): Promise<string> {
  const file = await environment.open(path, never);
  const pieces: Uint8Array[] = [];
  for await (const piece of file.content) pieces.push(piece);
  await file.close();
  const content = Buffer.concat(pieces);
  expect(content.length).toBe(file.sizeBytes);
  return content.toString();
}

/** Returns a promise and its resolver. */
export function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A prepared environment and its order. */
export interface Place {
  readonly environment: Environment;
  readonly order: Order;
}

/** Prepares an environment, runs `work`, disposes the environment and checks that nothing is left. */
export async function inside(
  subject: Subject,
  scripts: readonly string[],
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const order = orderOf(subject, scripts);
  if (subject.shared) {
    const { environment, mark } = await subject.shared();
    return work({ environment, order: { ...order, mark } });
  }
  {
    await using environment = subject.driver.environment(order);
    await environment.prepare(() => undefined, never);
    await work({ environment, order });
  }
  expect(await subject.traces(order.mark.buildId)).toEqual([]);
  expect(await subject.processes(order.mark.buildId)).toBe(0);
}
