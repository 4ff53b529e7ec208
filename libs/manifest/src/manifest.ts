import type { Driver, Source } from "@ci/proto/builds/v1/queue";
import { type Complaint, type Complaints, complaints } from "./complaints.js";
import { readDriver } from "./driver.js";
import { artifactEntry, envEntry, objectEntry, sourceEntry, type Transfer } from "./entries.js";
import { type JobRun, runOf } from "./job-run.js";
import { manifestKeys } from "./keys.js";
import { complainOfUnknown, readKeys } from "./mapping.js";
import { sizeText } from "./size-text.js";
import type { Placed } from "./spec.js";
import { stagesOf } from "./stages.js";
import { isEmpty, type Mapping } from "./tree.js";
import { readYaml } from "./yaml.js";

export interface Manifest {
  /** As written, trimmed. The namespaces service checks it. */
  readonly namespace?: string;
  readonly driver: Driver;
  readonly env: readonly { readonly key: string; readonly value: string }[];
  readonly objects: readonly Transfer[];
  readonly sources: readonly Source[];
  readonly stages: readonly string[];
  readonly allowFailures: readonly string[];
  readonly parallel: readonly string[];
  readonly jobs: readonly ManifestJob[];
}

export interface ManifestJob extends JobRun {
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
  /** The longest time that a job may set. If absent, any is accepted. */
  readonly maxTimeoutMs?: number;
  /** The manifest was accepted once. Earlier versions ignored unknown keys and stages, and so does this reading. */
  readonly isStored?: boolean;
}

/** The namespace is checked elsewhere: empty if the manifest names none, absent if it cannot be read. */
export type Reading = { manifest: Manifest } | { complaints: readonly Complaint[]; namespace?: string };

/** Parses entries and reports those that are invalid. Of entries with equal keys the last one counts. */
function parseEntries<T>(
  texts: readonly Placed<string>[] | undefined,
  read: (entry: string) => T | undefined,
  key: (item: T) => string,
  bad: (entry: Placed<string>) => void,
): T[] {
  const kept = new Map<string, T>();
  for (const text of texts ?? []) {
    const item = read(text.value);
    if (item === undefined) bad(text);
    else {
      kept.delete(key(item));
      kept.set(key(item), item);
    }
  }
  return [...kept.values()];
}

const bySource = ({ source }: Transfer): string => source;

function manifestOf(root: Mapping, limits: ManifestLimits, complain: Complaints): Manifest {
  complainOfUnknown(root, manifestKeys, "", complain);
  const whereOf = (top: string) => ({ complain, top, name: top, inList: false });
  const values = readKeys(root, manifestKeys, whereOf);
  const driver = readDriver(values.driver, limits.acceptedDrivers, whereOf("driver"));
  const bad = (name: string) => (entry: Placed<string>) => complain.add(`${name} invalid entry`, entry.value, entry.at);
  const jobs = values.jobs ?? [];
  const { stages, stageOf } = stagesOf(values.stages ?? [], jobs, values, complain);
  return {
    namespace: values.namespace?.trim() || undefined,
    driver,
    env: parseEntries(values.env, envEntry, (one) => one.key, bad("env")),
    objects: parseEntries(values.objects, objectEntry, bySource, bad("objects")),
    jobs: jobs.map((job) => ({
      stage: stageOf(job),
      name: job.value.name ?? "",
      commands: (job.value.commands ?? []).map(({ value }) => value),
      artifacts: parseEntries(job.value.artifacts, artifactEntry, bySource, bad("artifacts")),
      ...runOf(job.value, limits, complain),
    })),
    sources: parseEntries(values.sources, sourceEntry, ({ url, ref }) => `${url} ${ref}`, bad("sources")),
    stages,
    allowFailures: (values.allow_failures ?? []).map(({ value }) => value),
    parallel: (values.parallel ?? []).map(({ value }) => value),
  };
}

function checkCounts({ stages, jobs, sources }: Manifest, limits: ManifestLimits, complain: Complaints): void {
  const { maxStages, maxJobs } = limits;
  if (stages.length > maxStages) complain.add(`cannot have more than ${maxStages} stages`);
  if (jobs.length + sources.length > maxJobs) complain.add(`cannot have more than ${maxJobs} jobs`);
}

/** Accepts what earlier versions accepted. */
const forStored = (complain: Complaints): Complaints => ({ ...complain, addAt: () => undefined });

/** Reads and checks a manifest. Returns every complaint, in the words that users see; never throws. */
export function readManifest(text: string, limits: ManifestLimits): Reading {
  if (text === "") return { complaints: [{ message: "Manifest field required" }] };
  if (Buffer.byteLength(text) > limits.maxBytes) {
    return { complaints: [{ message: `Manifest cannot exceed ${sizeText(limits.maxBytes)}` }] };
  }
  const yaml = readYaml(text, limits.maxBytes);
  if ("reason" in yaml) return { complaints: [{ message: `Manifest invalid YAML: ${yaml.reason}`, ...yaml.place }] };
  const complain = complaints(yaml.placeOf);
  const manifest = manifestOf(yaml.root.value, limits, limits.isStored ? forStored(complain) : complain);
  checkCounts(manifest, limits, complain);
  const { list } = complain;
  return list.length === 0 ? { manifest } : { complaints: list, namespace: manifest.namespace ?? "" };
}

/** Reports whether a manifest changes nothing in an update: it is empty, or a mapping with empty values only. */
export function isBlank(text: string, maxBytes: number): boolean {
  if (text === "" || Buffer.byteLength(text) > maxBytes) return text === "";
  const yaml = readYaml(text, maxBytes);
  if ("reason" in yaml) return false;
  const entries: Mapping = yaml.root.value;
  return [...entries.values()].every(({ tree }) => isEmpty(tree));
}
