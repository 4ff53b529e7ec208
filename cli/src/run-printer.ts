import type { Emit, LocalEvent } from "@ci/local-run/run";
import { type Color, paint, statusColor } from "./format/paint.js";
import { type Filter, filterFor } from "./format/safe-output.js";
import { printTable } from "./format/table.js";
import { duration, size } from "./format/units.js";
import { type Io, note, printJsonLine, write } from "./io.js";

const jobColors: readonly Color[] = ["cyan", "magenta", "blue", "yellow", "green"];
/** Longer lines are split. */
const maxLine = 64 * 1024;

type End = Extract<LocalEvent, { event: "end" }>["data"];
type Started = Extract<LocalEvent, { event: "build" }>["data"];

const axesOf = ({ axes }: Started): string =>
  Object.entries(axes)
    .map(([name, value]) => ` ${name}=${value}`)
    .join("");

const words = (status: string): string => status.replaceAll("_", " ");

/** Returns a printer of job output that begins each line with the job's name. */
function linePrinter(io: Io, jobs: readonly string[]) {
  const width = Math.max(...jobs.map((name) => name.length));
  const begun = new Map<string, string>();
  const filters = new Map<string, Filter>();

  async function line(job: string, text: string): Promise<void> {
    const color = jobColors[jobs.indexOf(job) % jobColors.length];
    const prefix = `${paint(io, color, `${job.padEnd(width)} |`)} `;
    // A progress bar overwrites its line: print the name again after each carriage return.
    const shown = io.stdout.isTTY ? text.replace(/\r$/, "").replaceAll("\r", `\r${prefix}`) : text;
    await write(io, `${prefix}${shown}${io.stdout.isTTY && shown.includes("\u001b") ? "\u001b[0m" : ""}\n`);
  }

  return {
    async add(job: string, text: string): Promise<void> {
      const filter = filters.get(job) ?? filterFor(io.stdout);
      filters.set(job, filter);
      const lines = ((begun.get(job) ?? "") + filter.push(text)).split("\n");
      const rest = lines.pop()!;
      for (const one of lines) await line(job, one);
      if (rest.length > maxLine) await line(job, rest);
      begun.set(job, rest.length > maxLine ? "" : rest);
    },
    async end(job: string): Promise<void> {
      const rest = (begun.get(job) ?? "") + (filters.get(job)?.end() ?? "");
      begun.delete(job);
      if (rest !== "") await line(job, rest);
    },
  };
}

async function noteSummary(io: Io, { status, seconds, reason, jobs }: End, files: readonly string[]): Promise<void> {
  if (io.options.quiet) return;
  const rows = jobs.map((job) => ({
    ...job,
    time: undefined,
    took: job.seconds === undefined ? "" : duration(job.seconds),
  }));
  io.stderr.write("\n");
  const onErrors = { ...io, stdout: io.stderr };
  await printTable(onErrors, rows, ["stage", "name", "status", "took", "reason"]);
  for (const file of files) note(io, file);
  const ended = paint(onErrors, statusColor(status), words(status));
  io.stderr.write(`Build ${ended} in ${duration(seconds)}${reason ? `: ${reason}` : ""}\n`);
}

/** Returns a function that prints the events of a run until the reader closes the output. */
export function runPrinter(io: Io): Emit {
  let lines = linePrinter(io, [""]);
  let files: string[] = [];

  async function show({ event, data }: LocalEvent): Promise<void> {
    if (event === "build") {
      lines = linePrinter(io, data.jobs);
      files = [];
      if (Object.keys(data.axes).length > 0) note(io, `Build ${data.number}${axesOf(data)}`);
    } else if (event === "output") await lines.add(data.job, data.text);
    else if (event === "artifact") files.push(`Artifact ${data.name}: ${data.path} (${size(data.size)})`);
    else if (event === "test")
      note(io, `Test failed: ${[data.suite, data.name].filter(Boolean).join(" ")}: ${data.message}`);
    else if (event === "kept") files.push(data.error ? `Not kept: ${data.error}` : `Files of the jobs: ${data.path}`);
    else if (event === "end") {
      // Services print even after their job has ended.
      for (const { name } of data.jobs) await lines.end(name);
      await noteSummary(io, data, files).catch(() => undefined);
    } else if (data.seconds !== undefined) {
      await lines.end(data.name);
      note(
        io,
        `${data.name} ${words(data.status)} in ${duration(data.seconds)}${data.reason ? `: ${data.reason}` : ""}`,
      );
    }
  }

  let isGone = false;
  return async (event) => {
    if (isGone) return;
    await (io.options.json ? printJsonLine(io, event) : show(event)).catch(() => {
      isGone = true;
    });
  };
}
