import { createHash } from "node:crypto";
import type { Log } from "@ci/kit/process/log";
import { raceAbort } from "../../endings/ended.js";
import type { EgressConfig } from "./egress-config.js";
import { applyScript, type Jump, type RuleSet, removeScript } from "./script.js";

/** Runs a shell script in the network namespace that jobs use. Rejects with the reason if it cannot or if the script fails. */
export interface Place {
  run(script: string): Promise<void>;
  /** How often the rules are set again: a restart of the host or of its firewall removes them. */
  readonly renewEveryMs: number;
}

export interface Egress {
  /** Sets the rules when that is due. Reports whether builds may run. */
  ensure(): Promise<boolean>;
  /** Sets the rules again before the next build. */
  distrust(): void;
  /** Reports whether jobs are kept from private addresses. */
  enforced(): boolean;
  remove(): Promise<void>;
}

export interface EgressOptions {
  readonly config: EgressConfig;
  readonly driver: "docker" | "qemu";
  /** The runner's name and the driver identify the rules. */
  readonly name: string;
  readonly jumps: readonly Jump[];
  readonly place: Place;
  readonly log: Log;
  /** How long builds wait until the rules are set. */
  readonly waitMs?: number;
}

const retryEveryMs = 30_000;
/** The engine may have to pull an image first. */
const usualWaitMs = 60_000;

/** Six letters and digits that stand for a runner where names must be short. */
export const shortNameOf = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 6);

const mend =
  "run the runner as root on the host of the jobs, with iptables installed, or set JOB_EGRESS_IMAGE (docker); JOB_EGRESS=open says that jobs may reach private addresses";

/** Keeps the rules of a driver's jobs in force, and logs each change. */
export function keepEgress(options: EgressOptions): Egress {
  const { config, driver, name, jumps, place, log, waitMs = usualWaitMs } = options;
  const chain = `CI-${driver === "docker" ? "BUILDS" : "VMS"}-${shortNameOf(name)}`;
  const set: RuleSet = { chain, jumps, allow: config.allow };
  let freshUntil = Number.NEGATIVE_INFINITY;
  let status: "unknown" | "enforced" | "late" | "failed" = "unknown";
  let applying: Promise<void> | undefined;
  let wasSet = false;

  function fail(as: "late" | "failed", error: unknown): void {
    const level = config.mode === "enforce" ? "error" : "warn";
    const outcome = config.mode === "enforce" ? ": claiming no builds" : "";
    if (status !== as)
      log[level](
        { err: error, driver, mend },
        `jobs could reach private addresses, because the packet filter is not set${outcome}`,
      );
    status = as;
  }

  const noteLate = (): void => {
    const why = `Not set within ${waitMs / 1_000} s, perhaps because JOB_EGRESS_IMAGE is still being pulled`;
    if (status !== "failed") fail("late", new Error(why));
  };

  async function apply(): Promise<void> {
    try {
      await place.run(applyScript(set));
      if (status !== "enforced") log.info({ driver, chain }, "jobs reach public addresses only");
      status = "enforced";
      wasSet = true;
      freshUntil = performance.now() + place.renewEveryMs;
    } catch (error) {
      fail("failed", error);
      freshUntil = performance.now() + retryEveryMs;
    }
  }

  return {
    async ensure() {
      if (config.mode === "open") return true;
      if (performance.now() >= freshUntil) {
        applying ??= apply().finally(() => {
          applying = undefined;
        });
        // Builds do not wait for another attempt after a failed one.
        const mayWait = status === "unknown" || status === "enforced";
        await raceAbort(AbortSignal.timeout(mayWait ? waitMs : 0), applying).catch(noteLate);
      }
      return status === "enforced" || config.mode === "warn";
    },
    distrust() {
      freshUntil = Number.NEGATIVE_INFINITY;
    },
    enforced: () => status === "enforced",
    async remove() {
      if (!wasSet) return;
      await place
        .run(removeScript(set))
        .catch((error) => log.warn({ err: error, driver, chain }, "packet filter rules not removed"));
      status = "unknown";
      wasSet = false;
      freshUntil = Number.NEGATIVE_INFINITY;
    },
  };
}
