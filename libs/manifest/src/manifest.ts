import { sizeText } from "@ci/kit/bytes/size-text";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Driver, Source } from "@ci/proto/builds/v1/queue";
import { type Cache, cachesOf } from "./caches.js";
import { type Complaint, type Complaints, complaints, type Place } from "./complaints.js";
import { type Concurrency, concurrencyOf } from "./concurrency.js";
import { readDriver } from "./driver.js";
import { artifactEntry, envEntry, objectEntry, type Transfer } from "./entries.js";
import { isGlob, maxGlobName } from "./glob.js";
import { type JobRun, runOf } from "./job-run.js";
import { inAJob, manifestKeys } from "./keys.js";
import { complainOfUnknown, readKeys } from "./mapping.js";
import { type Axes, complainOfCacheNames, filledKeys, matrixKeys } from "./matrix.js";
import { complainOfSize } from "./matrix-size.js";
import { reportsOf } from "./reports.js";
import { complainOfTooMany, type ManifestService, readServices } from "./services.js";
import { readShell } from "./shell.js";
import { readSource } from "./source.js";
import { type Placed, readEntry } from "./spec.js";
import { stagesOf } from "./stages.js";
import { isEmpty, type Mapping } from "./tree.js";
import { type BuildState, readJobWhen, readWhen, type When } from "./when.js";
import { readYaml } from "./yaml.js";

export interface Manifest {
  /** As written, trimmed. The namespaces service checks it. */
  readonly namespace?: string;
  readonly driver: Driver;
  readonly env: readonly { readonly key: string; readonly value: string }[];
  readonly objects: readonly Transfer[];
  readonly sources: readonly Source[];
  readonly services: readonly ManifestService[];
  readonly caches: readonly Cache[];
  readonly stages: readonly string[];
  readonly allowFailures: readonly string[];
  readonly parallel: readonly string[];
  readonly jobs: readonly ManifestJob[];
  readonly concurrency?: Concurrency;
  /** When a hook makes a build of it; absent: always. */
  readonly when?: When;
  /** One build each; absent without a matrix. The first one's parts are those of the manifest. */
  readonly matrix?: readonly Variant[];
}

/** What differs between the builds of a matrix. */
export interface Variant {
  readonly axes: Axes;
  readonly parts: Partial<Manifest>;
}

export interface ManifestJob extends JobRun {
  readonly stage: string;
  readonly name: string;
  readonly commands: readonly string[];
  /** The `name` of a glob is a pattern: each `*` in it stands for the base name of a match. */
  readonly artifacts: readonly Transfer[];
  readonly env: readonly { readonly key: string; readonly value: string }[];
  /** Absent for `/bin/sh`. */
  readonly shell?: string;
  /** When it is part of a build; absent: always. */
  readonly when?: When;
  /** The states of the build in which it runs; absent: while no job has failed it. */
  readonly status?: readonly BuildState[];
  /** Paths and globs of JUnit reports. */
  readonly reports: readonly string[];
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

interface Read {
  readonly complaints: readonly Complaint[];
  /** Checked elsewhere. Empty if the manifest names none, absent if it cannot be read. */
  readonly namespace?: string;
  readonly namespacePlace?: Place;
}

/** The manifest is absent if there are complaints. */
export type Reading = Read | (Read & { readonly manifest: Manifest });

/** Of items with equal keys the last one counts. */
function lastOfEach<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const kept = new Map<string, T>();
  for (const item of items) {
    kept.delete(keyOf(item));
    kept.set(keyOf(item), item);
  }
  return [...kept.values()];
}

/** Parses entries and reports those that are invalid. */
const parseEntries = <T>(
  texts: readonly Placed<string>[] = [],
  read: (entry: string, at: number) => T | undefined,
  bad: (entry: Placed<string>) => void,
): T[] =>
  texts.flatMap((text) => {
    const item = read(text.value, text.at);
    if (item === undefined) bad(text);
    return item ?? [];
  });

const maxName = fixedLimit({
  max: maxGlobName,
  about: "characters of the name that a manifest gives to the files of a glob",
  refusal: "Manifest line L, column C: the name for the files of a glob cannot be longer than N characters",
});

const readArtifact = (complain: Complaints) => (entry: string, at: number) => {
  const artifact = artifactEntry(entry);
  if (artifact && isGlob(artifact.source) && artifact.name.length > maxName)
    complain.addAt(at, `the name for the files of a glob cannot be longer than ${maxName} characters`);
  return artifact;
};

const bySource = ({ source }: Transfer): string => source;
const byUrlAndRef = ({ url, ref }: Source): string => `${url} ${ref}`;
const byKey = ({ key }: { readonly key: string }): string => key;

function manifestOf(root: Mapping, limits: ManifestLimits, complain: Complaints): Manifest {
  complainOfUnknown(root, manifestKeys, "", complain, inAJob);
  const whereOf = (top: string) => ({ complain, top, name: top, inList: false });
  const values = readKeys(root, manifestKeys, whereOf);
  const driver = readDriver(values.driver, limits.acceptedDrivers, whereOf("driver"), root.get("driver")?.at);
  const bad = (name: string) => (entry: Placed<string>) => complain.add(`${name} invalid entry`, entry.value, entry.at);
  const jobs = values.jobs ?? [];
  const { stages, stageOf } = stagesOf(values.stages ?? [], jobs, values, complain);
  return {
    namespace: values.namespace?.trim() || undefined,
    driver,
    env: lastOfEach(parseEntries(values.env, envEntry, bad("env")), byKey),
    objects: lastOfEach(parseEntries(values.objects, objectEntry, bad("objects")), bySource),
    jobs: jobs.map((job) => ({
      stage: stageOf(job),
      name: job.value.name ?? "",
      commands: (job.value.commands ?? []).map(({ value }) => value),
      artifacts: lastOfEach(parseEntries(job.value.artifacts, readArtifact(complain), bad("artifacts")), bySource),
      ...runOf(job.value, limits, complain),
      env: lastOfEach(parseEntries(job.value.env, envEntry, bad("env")), byKey),
      shell: readShell(job, complain),
      ...readJobWhen(job.value.when),
      reports: reportsOf(job.value.reports ?? [], complain),
    })),
    sources: lastOfEach(
      (values.sources ?? []).flatMap((source) => readSource(source, complain) ?? []),
      byUrlAndRef,
    ),
    services: readServices(values.services ?? [], driver.type, complain),
    caches: cachesOf(values.cache ?? [], complain),
    stages,
    allowFailures: (values.allow_failures ?? []).map(({ value }) => value),
    when: readWhen(values.when),
    concurrency: concurrencyOf(values.concurrency, complain),
    parallel: (values.parallel ?? []).map(({ value }) => value),
  };
}

const variableParts: readonly string[] = Object.values(matrixKeys).map(({ part }): keyof Manifest => part);

const partsOf = (manifest: Manifest): Partial<Manifest> =>
  Object.fromEntries(Object.entries(manifest).filter(([name]) => variableParts.includes(name)));

const silent: Complaints = { list: [], add: () => undefined, addAt: () => undefined, refuseAt: () => undefined };

/** Complains if a manifest is too much to be read for each combination, and reports whether it is. */
function isTooMuch(root: Mapping, all: readonly Axes[], complain: Complaints): boolean {
  const services = root.get("services")?.tree.value;
  return (Array.isArray(services) && complainOfTooMany(services, complain)) || complainOfSize(root, all, complain);
}

/** Reads a manifest as it is for each combination of its matrix. */
function matrixOf(root: Mapping, limits: ManifestLimits, complain: Complaints): Manifest {
  const { spec, example } = manifestKeys.matrix;
  const where = { complain, top: "matrix", name: "matrix", inList: false, example };
  const all = readEntry(spec, root.get("matrix"), where) ?? [];
  const [first, ...others] = all;
  if (!first) return manifestOf(root, limits, complain);
  if (isTooMuch(root, all, complain)) return manifestOf(root, limits, silent);
  complainOfCacheNames(root, all, complain);
  const manifest = manifestOf(new Map([...root, ...filledKeys(root, first)]), limits, complain);
  const partsWith = (axes: Axes) => partsOf(manifestOf(filledKeys(root, axes), limits, complain));
  const matrix = others.map((axes) => ({ axes, parts: partsWith(axes) }));
  return { ...manifest, matrix: [{ axes: first, parts: partsOf(manifest) }, ...matrix] };
}

/** Returns the manifest of one build of a matrix. Its axes replace entries of `env`. */
export const variantOf = ({ matrix: _, ...manifest }: Manifest, { axes, parts }: Variant): Manifest => ({
  ...manifest,
  ...parts,
  env: [
    ...manifest.env.filter(({ key }) => !Object.hasOwn(axes, key)),
    ...Object.entries(axes).map(([key, value]) => ({ key, value })),
  ],
});

const maxEntries = fixedLimit({
  max: 1_000,
  about: "entries of `env`, and of `objects`, in a manifest",
  refusal: "Manifest line L, column C: cannot have more than N entries in env",
});
const maxOwnEnv = fixedLimit({
  max: 10_000,
  about: "entries of `env` in all jobs and services of a manifest",
  refusal: "Manifest line L, column C: cannot have more than N entries in env of jobs and services",
});
const maxArtifacts = fixedLimit({
  max: 5_000,
  about: "artifacts of all jobs of a manifest",
  refusal: "Manifest line L, column C: cannot have more than N artifacts",
});
const maxCommands = fixedLimit({
  max: 100_000,
  about: "commands of all jobs of a manifest, each as often as aliases repeat it",
  refusal: "Manifest line L, column C: cannot have more than N commands",
});

function checkCounts(
  root: Mapping,
  manifest: Manifest,
  { maxStages, maxJobs }: ManifestLimits,
  complain: Complaints,
): void {
  const refuse = (name: string, what: string) =>
    complain.refuseAt(root.get(name)?.tree.at ?? 0, `cannot have more than ${what}`);
  const { stages, jobs, sources, services } = manifest;
  const addAt = (name: string, what: string) => complain.add(`cannot have more than ${what}`, "", root.get(name)?.at);
  if (stages.length > maxStages) addAt(root.has("stages") ? "stages" : "jobs", `${maxStages} stages`);
  if (jobs.length + sources.length + services.length > maxJobs) addAt("jobs", `${maxJobs} jobs`);
  for (const name of ["env", "objects"] as const)
    if (manifest[name].length > maxEntries) refuse(name, `${maxEntries} entries in ${name}`);
  const ownEnv = [...jobs, ...services].reduce((sum, { env }) => sum + env.length, 0);
  if (ownEnv > maxOwnEnv)
    refuse(jobs.length > 0 ? "jobs" : "services", `${maxOwnEnv} entries in env of jobs and services`);
  const inJobs = (name: "artifacts" | "commands") => jobs.reduce((sum, job) => sum + job[name].length, 0);
  if (inJobs("artifacts") > maxArtifacts) refuse("jobs", `${maxArtifacts} artifacts`);
  if (inJobs("commands") > maxCommands) refuse("jobs", `${maxCommands} commands`);
}

/** Leaves out the complaints that only a new manifest gets. */
const forStored = (complain: Complaints): Complaints => ({ ...complain, addAt: () => undefined });

/** Reads and checks a manifest. Returns every complaint, in the words that users see; never throws. */
export function readManifest(text: string, limits: ManifestLimits): Reading {
  if (text === "") return { complaints: [{ message: "Manifest field required" }] };
  if (Buffer.byteLength(text) > limits.maxBytes) {
    return { complaints: [{ message: `Manifest cannot exceed ${sizeText(limits.maxBytes)}` }] };
  }
  const yaml = readYaml(text, limits.maxBytes, limits.isStored);
  if ("reason" in yaml) return { complaints: [{ message: `Manifest invalid YAML: ${yaml.reason}`, ...yaml.place }] };
  const complain = complaints(yaml.placeOf);
  const manifest = matrixOf(yaml.root.value, limits, limits.isStored ? forStored(complain) : complain);
  checkCounts(yaml.root.value, manifest, limits, complain);
  const { list } = complain;
  const named = yaml.root.value.get("namespace");
  const place = named && { namespacePlace: yaml.placeOf(named.tree.at) };
  const read = { complaints: list, namespace: manifest.namespace ?? "", ...place };
  return list.length === 0 ? { ...read, manifest } : read;
}

/** Reports whether a manifest changes nothing in an update: it is empty, or a mapping with empty values only. */
export function isBlank(text: string, maxBytes: number): boolean {
  if (text === "" || Buffer.byteLength(text) > maxBytes) return text === "";
  const yaml = readYaml(text, maxBytes);
  if ("reason" in yaml) return false;
  const entries: Mapping = yaml.root.value;
  return [...entries.values()].every(({ tree }) => isEmpty(tree));
}
