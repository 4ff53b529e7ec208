import type { Driver, Source } from "@ci/proto/builds/v1/queue";
import { type Complaints, complaints } from "./manifest/complaints.js";
import { artifactEntry, envEntry, objectEntry, sourceEntry, type Transfer } from "./manifest/entries.js";
import { driverOf, sizeText } from "./manifest/rules.js";
import { shapeOf } from "./manifest/shape.js";
import type { Tree } from "./manifest/tree.js";
import { readYaml } from "./manifest/yaml.js";

export { planJobs } from "./plan.js";

export interface Manifest {
  /** As written, trimmed. The namespaces service checks it. */
  readonly namespace?: string;
  readonly driver: Driver;
  readonly env: readonly { readonly key: string; readonly value: string }[];
  readonly objects: readonly Transfer[];
  readonly sources: readonly Source[];
  readonly stages: readonly string[];
  readonly allowFailures: readonly string[];
  readonly jobs: readonly ManifestJob[];
}

export interface ManifestJob {
  readonly stage: string;
  readonly name: string;
  readonly commands: readonly string[];
  /** Of a glob, `name` is a pattern: each `*` in it stands for the base name of a match. */
  readonly artifacts: readonly Transfer[];
}

export interface ManifestLimits {
  readonly maxBytes: number;
  /** If absent, any driver is accepted. */
  readonly acceptedDrivers?: readonly string[];
  readonly maxStages: number;
  readonly maxJobs: number;
}

/** The namespace is checked elsewhere: empty if the manifest names none, absent if it cannot be read. */
export type Reading = { manifest: Manifest } | { complaints: string[]; namespace?: string };

/** Parses entries and reports those that are invalid. Of entries with equal keys the last one counts. */
function parseEntries<T>(
  texts: readonly string[],
  read: (entry: string) => T | undefined,
  key: (item: T) => string,
  bad: (entry: string) => void,
): T[] {
  const kept = new Map<string, T>();
  for (const text of texts) {
    const item = read(text);
    if (item === undefined) bad(text);
    else {
      kept.delete(key(item));
      kept.set(key(item), item);
    }
  }
  return [...kept.values()];
}

const bySource = ({ source }: Transfer): string => source;

function manifestOf(root: Map<string, Tree>, limits: ManifestLimits, complain: Complaints): Manifest {
  const bad = (key: string) => (entry: string) => complain.add(`${key} invalid entry`, entry);
  const shape = shapeOf(root, complain);
  const manifest = {
    namespace: shape.namespace.trim() || undefined,
    driver: driverOf(shape.driver, limits.acceptedDrivers, complain),
    env: parseEntries(shape.env, envEntry, (one) => one.key, bad("env")),
    objects: parseEntries(shape.objects, objectEntry, bySource, bad("objects")),
    jobs: shape.jobs.map((job) => ({
      ...job,
      artifacts: parseEntries(job.artifacts, artifactEntry, bySource, bad("artifacts")),
    })),
    sources: parseEntries(shape.sources, sourceEntry, ({ url, ref }) => `${url} ${ref}`, bad("sources")),
    stages: [...new Set(shape.stages)],
    allowFailures: shape.allowFailures,
  };
  const { maxStages, maxJobs } = limits;
  if (manifest.stages.length > maxStages) complain.add(`cannot have more than ${maxStages} stages`);
  const jobs = manifest.jobs.length + manifest.sources.length;
  if (jobs > maxJobs) complain.add(`cannot have more than ${maxJobs} jobs`);
  return manifest;
}

/** Reads and checks a manifest. Returns every complaint, in the words that users see; never throws. */
export function readManifest(text: string, limits: ManifestLimits): Reading {
  if (text === "") return { complaints: ["Manifest field required"] };
  if (Buffer.byteLength(text) > limits.maxBytes) {
    return { complaints: [`Manifest cannot exceed ${sizeText(limits.maxBytes)}`] };
  }
  const yaml = readYaml(text, limits.maxBytes);
  if ("reason" in yaml) return { complaints: [`Manifest invalid YAML: ${yaml.reason}`] };
  const complain = complaints();
  const manifest = manifestOf(yaml.root, limits, complain);
  const { messages } = complain;
  return messages.length === 0 ? { manifest } : { complaints: [...messages], namespace: manifest.namespace ?? "" };
}

/** Reports whether a manifest changes nothing in an update: it is empty, or a mapping with empty values only. */
export function isBlank(text: string, maxBytes: number): boolean {
  if (text === "" || Buffer.byteLength(text) > maxBytes) return text === "";
  const yaml = readYaml(text, maxBytes);
  return "root" in yaml && [...yaml.root.values()].every(isEmpty);
}

function isEmpty(tree: Tree): boolean {
  if (tree === null) return true;
  return tree instanceof Map ? tree.size === 0 : tree.length === 0;
}
