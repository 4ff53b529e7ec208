// Renders what `npm run overload` has measured, for docs/operating/limits.md.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where `npm run overload` stores its figures. */
export const figuresFile = join(import.meta.dirname, "overload.json");

/**
 * @typedef {{ name: string, title: string, requests: number, p99Ms: number, innocentP99Ms: number, innocentMaxMs: number,
 *   refused: number, memory: Record<string, number>, notes: string }} Figures
 * `memory` is the greatest resident memory of each process, in MiB.
 * @typedef {{ date: string, commit: string, machine: string, scale: number, limits: Record<string, number>, scenarios: Figures[] }} Overload
 */

const whole = (/** @type {number} */ ms) => `${Math.round(ms)} ms`;

/** Returns the section, or says how to make it. */
export function overloadSection() {
  const intro = `## Under overload

\`npm run overload\` starts a system, attacks it in eight ways, and fails if a process exceeds the chart's memory limit, a response
is a 5xx (other than 503 with \`Retry-After\`), or an innocent user waits longer than 2 s during the attack.`;
  if (!existsSync(figuresFile)) return `${intro} It has not been measured yet.`;
  const { date, commit, machine, scale, limits, scenarios } = /** @type {Overload} */ (
    JSON.parse(readFileSync(figuresFile, "utf8"))
  );
  const processes = Object.keys(limits);
  const size = scale === 1 ? "" : ` The load was ${scale} times the full one.`;
  const heads = ["Attack", "p99 of the load", "Innocent user: p99", "longest", "Refused", ...processes];
  const rows = scenarios.map((one) => [
    one.notes ? `${one.title}: ${one.notes}` : one.title,
    whole(one.p99Ms),
    whole(one.innocentP99Ms),
    whole(one.innocentMaxMs),
    one.requests > 0 ? `${one.refused} of ${one.requests}` : "",
    ...processes.map((name) => `${one.memory[name] ?? "-"}`),
  ]);
  const limitRow = ["The chart's limit", "", "", "2000 ms", "", ...processes.map((name) => `${limits[name]}`)];
  const table = [heads, heads.map(() => "---"), ...rows, limitRow].map((row) => `| ${row.join(" | ")} |`).join("\n");
  return `${intro} Measured on ${date}, at commit ${commit}, on ${machine}.${size}
The columns of the services are their greatest resident memory in MiB.

${table}`;
}
