import type { Complaints } from "./complaints.js";
import type { Tree } from "./tree.js";

type Wrong = () => void;

/** Reads a text field: empty if it is missing, undefined after a complaint if it is not a text. */
export function text(tree: Tree | undefined, wrong: Wrong): string | undefined {
  if (tree === undefined || tree === null) return "";
  if (typeof tree === "string") return tree;
  wrong();
}

/** Reads a list field: empty if it is missing, and after a complaint if it is not a list. */
function list(tree: Tree | undefined, wrong: Wrong): Tree[] {
  if (Array.isArray(tree)) return tree;
  if (tree !== undefined && tree !== null) wrong();
  return [];
}

const texts = (tree: Tree | undefined, wrong: Wrong): string[] =>
  list(tree, wrong).filter((entry) => {
    if (typeof entry !== "string") wrong();
    return typeof entry === "string";
  }) as string[];

export interface RawJob {
  readonly stage: string;
  readonly name: string;
  readonly commands: string[];
  readonly artifacts: string[];
}

export interface Shape {
  readonly namespace: string;
  readonly driver: Map<string, Tree> | undefined;
  readonly env: string[];
  readonly objects: string[];
  readonly sources: string[];
  readonly stages: string[];
  readonly allowFailures: string[];
  readonly jobs: RawJob[];
}

function driverMap(tree: Tree | undefined, wrong: Wrong): Map<string, Tree> | undefined {
  if (tree === undefined || tree === null) return new Map();
  if (tree instanceof Map) return tree;
  wrong();
}

function rawJobs(tree: Tree | undefined, wrong: Wrong): RawJob[] {
  return list(tree, wrong).flatMap((job) => {
    if (!(job instanceof Map)) {
      wrong();
      return [];
    }
    const stage = text(job.get("stage"), wrong) ?? "";
    const name = text(job.get("name"), wrong) ?? "";
    return [
      { stage, name, commands: texts(job.get("commands"), wrong), artifacts: texts(job.get("artifacts"), wrong) },
    ];
  });
}

/** Reads every known key by its type. Complains once about each key that has the wrong type somewhere. */
export function shapeOf(root: Map<string, Tree>, complain: Complaints): Shape {
  const of = <T>(key: string, read: (tree: Tree | undefined, wrong: Wrong) => T): T =>
    read(root.get(key), () => complain.add(`${key} has the wrong type`));
  return {
    namespace: of("namespace", text) ?? "",
    driver: of("driver", driverMap),
    env: of("env", texts),
    objects: of("objects", texts),
    sources: of("sources", texts),
    stages: of("stages", texts),
    allowFailures: of("allow_failures", texts),
    jobs: of("jobs", rawJobs),
  };
}
