// Turns a probe into a manifest, and what was seen into a verdict.
import { prelude } from "./tool/syscalls.mjs";

/**
 * @typedef {import("./probes.mjs").Probe} Probe
 * @typedef {import("./probes.mjs").Attack} Attack
 * @typedef {import("./world.mjs").World} World
 */

/** @param {string} text */
const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** @param {Attack} attack @param {World} world */
export const scriptOf = ({ script }, world) => `${prelude}\n${typeof script === "string" ? script : script(world)}`;

/** Runs an attack and prints its exit code and output. A successful one does not end the build. @param {Attack} attack @param {World} world */
const attackCommands = (attack, world) => [
  "set +ex",
  `seen=$(mktemp); (sh -c ${quote(scriptOf(attack, world))}) > "$seen" 2>&1`,
  `code=$?; echo; echo "begin ${attack.id} $code"; tail -n 20 "$seen"; echo; echo "end ${attack.id}"; rm "$seen"`,
];

const job = (/** @type {object} */ more) => ({ stage: "test", ...more });

/** Returns the jobs of a probe. @param {Exclude<Probe, import("./probes.mjs").Refusal>} probe @param {World} world */
export const jobsOf = (probe, world) => {
  if ("script" in probe) {
    const before = probe.before ? [job({ commands: probe.before })] : [];
    return [...before, job({ commands: attackCommands(probe, world) })];
  }
  const { commands, artifacts = [] } = probe;
  return [job({ commands: typeof commands === "function" ? commands(world) : commands, artifacts })];
};

/** Matches the sort of evidence that a probe expects. @param {Probe} probe @param {string} text */
const evidence = ({ sees, shown }, text) => {
  const found = sees.exec(text)?.[0].replaceAll(/\s+/g, " ").trim();
  return found === undefined ? undefined : (shown ?? found);
};

/** @param {string} text */
const short = (text) => text.trim().split("\n").slice(-12).join("\n");

/**
 * Returns what an attack has seen.
 * @param {Attack} attack
 * @param {string} output of the build
 * @returns {{ seen: string } | { complaint: string }}
 */
export const judgeAttack = (attack, output) => {
  const found = new RegExp(`^begin ${attack.id} (\\d+)\\n([^]*?)^end ${attack.id}$`, "m").exec(output);
  if (!found) return { complaint: `it left no result:\n${short(output)}` };
  const [, code, text] = found;
  if (attack.open) return code === "0" ? { seen: attack.shown ?? "" } : { complaint: `it failed: ${text.trim()}` };
  if (code === "0") return { complaint: `it succeeded: ${text.trim()}` };
  const seen = evidence(attack, text);
  return seen === undefined ? { complaint: `it failed for another reason: ${text.trim()}` } : { seen };
};

/**
 * Returns what a build that had to end in a certain way has seen.
 * @param {import("./probes.mjs").Ending} ending
 * @param {import("./builds.mjs").Ended} ended
 * @returns {{ seen: string } | { complaint: string }}
 */
export const judgeEnding = (ending, { status, output }) => {
  if (status !== ending.ending) return { complaint: `the build ended as ${status}:\n${short(output)}` };
  const seen = evidence(ending, output);
  return seen === undefined ? { complaint: `the output does not say so:\n${short(output)}` } : { seen };
};

/**
 * Returns what the API said about a manifest.
 * @param {import("./probes.mjs").Refusal} refusal
 * @param {{ status?: number, message: string } | undefined} error
 * @returns {{ seen: string } | { complaint: string }}
 */
export const judgeRefusal = (refusal, error) => {
  if (error?.status !== 400) return { complaint: error?.message ?? "the API accepted it" };
  const seen = evidence(refusal, error.message);
  return seen === undefined ? { complaint: error.message } : { seen };
};
