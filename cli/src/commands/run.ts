import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { type Prepared, prepareRun, Refused, type Request } from "@ci/local-run/run";
import type { Handler, Input } from "../command.js";
import { complaintLine } from "../complaint-line.js";
import { targetOf } from "../download-target.js";
import { exit, exitOf, UsageError } from "../exit.js";
import { type Io, note, printJsonLine, readFileText } from "../io.js";
import { readManifest } from "../manifest.js";
import { runPrinter } from "../run-printer.js";
import type { Specs } from "../specs.js";

type Given = Input<Specs["run"]>;

function userOf({ env }: Io): string {
  try {
    return userInfo().username;
  } catch {
    return env.USER || "you";
  }
}

/** Parses `KEY=VALUE`, or `KEY` for a variable of the environment. */
function secretOf({ env }: Io, text: string) {
  const [, key = text, given] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const value = given ?? env[key];
  if (value === undefined)
    throw new UsageError(`The environment variable ${key} is not set. Set it, or use --secret ${key}=VALUE`);
  return { key, value, masked: true };
}

function axisOf(text: string): [axis: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`--axis ${text} does not have the form AXIS=VALUE`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function keysOf(io: Io, files: Readonly<Record<string, string>> = {}) {
  const keys: Record<string, string> = {};
  for (const [name, path] of Object.entries(files)) keys[name] = await readFileText(io, path);
  return keys;
}

async function requestOf(io: Io, input: Given, text: string): Promise<Request> {
  const variables = Object.entries(input.var ?? {}).map(([key, value]) => ({ key, value }));
  return {
    text,
    folder: process.cwd(),
    user: userOf(io),
    event: (input.event ?? "manual") as Request["event"],
    parameters: [...variables, ...(input.secret ?? []).map((one) => secretOf(io, one))],
    jobs: input.job ?? [],
    axes: (input.axis ?? []).map(axisOf),
    clone: input.clone ?? false,
    objects: input.object ?? {},
    images: input.image ?? {},
    keys: await keysOf(io, input.key),
    keepsArtifacts: input.artifacts !== undefined,
  };
}

/** This machine lacks something. The build itself has not failed. */
const refused = (error: unknown): never => {
  throw error instanceof Refused ? new UsageError(error.message) : error;
};

/** Runs the builds. An interrupt kills them, and so does closing the output. */
async function follow(given: Io, { notes, run }: Prepared, { artifacts, keep }: Given): Promise<number> {
  const folder = resolve(artifacts ?? ".");
  const gone = new AbortController();
  given.onHangUp?.(() => gone.abort());
  const signal = AbortSignal.any([given.signal, gone.signal]);
  // Print the end of the output even after an interrupt.
  const io = { ...given, signal: new AbortController().signal };
  for (const text of notes) note(io, text);
  const onStop = () =>
    note(io, "Killing the build. Another Ctrl-C exits at once and leaves the clean-up to the next run");
  given.signal.addEventListener("abort", onStop, { once: true });
  const statuses = await run({
    emit: runPrinter(io),
    artifactPath: ({ number, of }, name) => targetOf(of > 1 ? join(folder, String(number)) : folder, name),
    keep: keep && resolve(keep),
    signal,
  }).catch(refused);
  given.signal.removeEventListener("abort", onStop);
  return signal.aborted ? exit.killed : exitOf(statuses);
}

export const run: Handler<Specs["run"]> = async (io, input) => {
  const { name, text } = await readManifest(io, input.manifest);
  const checked = await prepareRun(await requestOf(io, input, text), io.env).catch(refused);
  if ("prepared" in checked) return follow(io, checked.prepared, input);
  for (const complaint of checked.complaints)
    if (io.options.json) await printJsonLine(io, { event: "complaint", data: complaint });
    else io.stderr.write(`${complaintLine(name, complaint)}\n`);
  return exit.failed;
};
