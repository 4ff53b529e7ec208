import { access } from "node:fs/promises";
import { axisComplaints, type Member, membersOf } from "@ci/builds/domain/group";
import { maskComplaints } from "@ci/builds/domain/masked";
import type { Submission } from "@ci/builds/domain/new-build";
import type { Origin } from "@ci/builds/domain/origin";
import { type Parameter, parameterComplaints } from "@ci/builds/domain/parameters";
import { mergeVariables, shortComplaints } from "@ci/builds/domain/variables";
import type { Complaint } from "@ci/manifest/complaints";
import { type Manifest, readManifest } from "@ci/manifest/manifest";
import type { Trigger_Type } from "@ci/proto/builds/v1/builds";
import { GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";
import type { LocalConfig } from "./config.js";
import { Refused } from "./refused.js";
import { selectJobs, withSource } from "./select.js";
import { findSource, type LocalSource } from "./source.js";

type Files = Readonly<Record<string, string>>;
type AxisValue = readonly [axis: string, value: string];

export interface Request {
  /** The manifest. */
  readonly text: string;
  readonly folder: string;
  readonly user: string;
  readonly event: Trigger_Type;
  readonly parameters: readonly Parameter[];
  /** Names of the jobs to run; empty means all. */
  readonly jobs: readonly string[];
  /** Matrix values that select the builds. */
  readonly axes: readonly AxisValue[];
  /** Clones every source as the manifest says. */
  readonly clone: boolean;
  /** Files of objects and of images, and texts of private keys, by name. */
  readonly objects: Files;
  readonly images: Files;
  readonly keys: Files;
  readonly keepsArtifacts: boolean;
}

/** A run that has passed all checks. */
export interface Plan {
  readonly members: readonly Member[];
  readonly submission: Omit<Submission, "manifest" | "axes" | "place">;
  readonly source: { readonly source: LocalSource; readonly directory: string; readonly index: number } | undefined;
  /** Notes for the user about differences from a build on a server. */
  readonly notes: readonly string[];
}

function inputsOf({ keys, objects }: Request): GetBuildInputsResponse {
  return GetBuildInputsResponse.fromPartial({
    keys: Object.entries(keys).map(([name, privateKey], index) => ({ id: index + 1, name, privateKey })),
    objects: Object.keys(objects).map((name, index) => ({ id: index + 1, name })),
  });
}

async function requireObjects(manifest: Manifest, { objects }: Request): Promise<void> {
  const needed = manifest.objects.map(({ source }) => source);
  const missing = needed.filter((name) => !Object.hasOwn(objects, name));
  if (missing.length > 0)
    throw new Refused(
      missing
        .map((name) => `The object ${name} is only on the server. Give its file with --object ${name}=FILE`)
        .join("\n"),
    );
  const unused = Object.keys(objects).find((name) => !needed.includes(name));
  if (unused !== undefined) throw new Refused(`The manifest has no object ${unused}`);
  for (const [name, path] of Object.entries(objects))
    await access(path).catch(() => {
      throw new Refused(`The file ${path} of the object ${name} cannot be read`);
    });
}

function requireUse(manifest: Manifest, { images }: Request): void {
  const used = membersOf(manifest).map(({ manifest: { driver } }) =>
    driver.type === "qemu" ? driver.image : undefined,
  );
  const unused = Object.keys(images).find((name) => !used.includes(name));
  if (unused !== undefined) throw new Refused(`The manifest has no virtual machine with the image ${unused}`);
}

function chosenMembers(manifest: Manifest, wanted: Request["axes"]): Member[] {
  const all = membersOf(manifest);
  const has = (member: Member, [name, value]: AxisValue) => member.axes?.[name] === value;
  const chosen = all.filter((member) =>
    wanted.every(([axis]) => wanted.some((one) => one[0] === axis && has(member, one))),
  );
  const missing = wanted.filter((one) => !chosen.some((member) => has(member, one)));
  if (missing.length === 0) return chosen;
  const texts = all.flatMap((member) => (member.axes ? [textOf(Object.entries(member.axes))] : []));
  const known = texts.length > 0 ? `The matrix has: ${texts.join("; ")}` : "The manifest has no matrix";
  const exist = chosen.length > 0 && missing.every((one) => all.some((member) => has(member, one)));
  const none = exist ? "No selected build" : "No build";
  throw new Refused(`${none} has ${textOf(missing)}. ${known}`);
}

const textOf = (values: readonly AxisValue[]): string => values.map((value) => value.join("=")).join(" ");

/** Returns the URL of a repository without user and password; its folder's URL if it has no remote. */
function urlOf({ remotes: [remote = ""], root }: LocalSource): string {
  const [, host, path] = /^(?:[^@/]+@)?([^:/@]+):(?!\/\/)(.*)$/.exec(remote) ?? [];
  const url = host === undefined ? remote : `ssh://${host}/${path}`;
  if (!/^[a-z]+:\/\//.test(url) || !URL.canParse(url)) return `file://${encodeURI(root)}`;
  return Object.assign(new URL(url), { username: "", password: "" }).href;
}

/** Returns the commit's origin, as for a build of a push. */
function originOf(source: LocalSource): Origin | undefined {
  const { commit, branch } = source;
  if (commit === undefined) return undefined;
  const ref = branch === undefined ? {} : { ref: `refs/heads/${branch}` };
  return { url: urlOf(source), sha: commit, bare: false, ...ref };
}

function notesOf(manifest: Manifest, skipped: readonly string[], { keys, keepsArtifacts }: Request): string[] {
  const { namespace, jobs } = manifest;
  const hasKeys = Object.keys(keys).length > 0;
  const ofServer = `The variables${hasKeys ? "" : " and keys"} of namespace ${namespace} are only on the server`;
  const flags = `give them with --var and --secret${hasKeys ? "" : " and --key"}`;
  const hasArtifacts = !keepsArtifacts && jobs.some(({ artifacts }) => artifacts.length > 0);
  return [
    ...(namespace === undefined ? [] : [`${ofServer}: ${flags}`]),
    ...(skipped.length > 0 ? [`Skipped, because their \`when\` does not match: ${skipped.join(", ")}`] : []),
    ...(hasArtifacts ? ["Artifacts are not kept; --artifacts FOLDER keeps them"] : []),
  ];
}

const withoutArtifacts = (manifest: Manifest): Manifest => ({
  ...manifest,
  driver: { ...manifest.driver, keepOnFailureMinutes: 0 },
  jobs: manifest.jobs.map((job) => ({ ...job, artifacts: [] })),
});

/** Returns complaints about the manifest, or the plan for a request. Throws Refused if something is missing here. */
export async function planRun(
  request: Request,
  config: LocalConfig,
): Promise<{ readonly complaints: readonly Complaint[] } | { readonly plan: Plan }> {
  const { text, parameters, event, user } = request;
  const { manifestBytes: maxBytes, buildTimeoutMs: maxTimeoutMs, maxJobs, maxStages } = config;
  const read = readManifest(text, { maxBytes, maxTimeoutMs, maxJobs, maxStages });
  if (!("manifest" in read)) return { complaints: [...read.complaints, ...messages(parameterComplaints(parameters))] };
  const inputs = inputsOf(request);
  const variables = mergeVariables({ manifest: read.manifest, inputs, parameters });
  const wrong = [
    ...maskComplaints(variables, inputs.keys, config.maskedBytes),
    ...parameterComplaints(parameters),
    ...shortComplaints(variables),
    ...axisComplaints({ manifest: read.manifest, parameters }),
  ];
  if (wrong.length > 0) return { complaints: messages(wrong) };
  await requireObjects(read.manifest, request);
  requireUse(read.manifest, request);
  const source = request.clone ? undefined : await findSource(request.folder);
  const { leftOut, skipped, unknown, known, ...selected } = await selectJobs(read.manifest, request.jobs, {
    event,
    branch: source?.branch,
  });
  if (unknown.length > 0) throw new Refused(`There is no job ${unknown[0]}. Jobs are: ${known.join(", ")}`);
  const jobs = request.keepsArtifacts ? selected.manifest : withoutArtifacts(selected.manifest);
  const { manifest, ...place } = source ? { ...withSource(jobs, source), source } : { manifest: jobs };
  const origin = source && originOf(source);
  return {
    plan: {
      members: chosenMembers(manifest, request.axes),
      submission: {
        text,
        inputs,
        parameters,
        leftOut,
        tags: [],
        userId: 1,
        submitter: user,
        trigger: { type: event, comment: "", data: {} },
        ...(origin ? { origin } : {}),
      },
      source: "source" in place ? place : undefined,
      notes: notesOf(selected.manifest, skipped, request),
    },
  };
}

const messages = (texts: readonly string[]): Complaint[] => texts.map((message) => ({ message }));
