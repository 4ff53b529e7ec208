import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { deployDir, prepared } from "./_compose.js";

/** The parts of a Kubernetes object that the tests read. */
// biome-ignore lint/suspicious/noExplicitAny: validated against the schemas of the API.
export type Rendered = any;

export type Tool = { command: string[]; env?: Record<string, string> } | { reason: string };

const chart = join(deployDir, "helm/service-ci");
/** The oldest Kubernetes that the chart supports. */
export const oldest = parse(readFileSync(join(chart, "Chart.yaml"), "utf8")).kubeVersion.match(/\d+\.\d+/)[0];

/** Finds or fetches a program with deploy/local/test/tools.mjs. */
export const tool = (name: string): Tool => prepared("local/test/tools.mjs", name);

export interface RunResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(tool: Tool, args: readonly string[], env: Record<string, string> = {}): RunResult {
  if ("reason" in tool) throw new Error(tool.reason);
  const [program = "", ...start] = tool.command;
  const environment = { ...process.env, ...tool.env, ...env };
  return spawnSync(program, [...start, ...args], { encoding: "utf8", env: environment, maxBuffer: 64 * 1024 ** 2 });
}

/** Returns Helm's options for a file of deploy/helm/values and further values. */
export const helmOptions = (file: string, values: Readonly<Record<string, unknown>> = {}) => [
  ...["-f", join(deployDir, `helm/values/${file}.yaml`)],
  ...Object.entries(values).flatMap(([name, value]) => ["--set-json", `${name}=${JSON.stringify(value)}`]),
];

export const lint = (helm: Tool, options: readonly string[]) =>
  run(helm, ["lint", "--strict", "--kube-version", oldest, chart, ...options]);

/** Renders the chart and returns the text or the error. */
export const template = (helm: Tool, options: readonly string[], env: Record<string, string> = {}) =>
  run(helm, ["template", "shop", chart, "--namespace", "ci", "--kube-version", oldest, ...options], env);

/** Renders the chart and parses the objects. */
export function render(helm: Tool, options: readonly string[]): Rendered[] {
  const { status, stdout, stderr } = template(helm, options);
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS())
    .filter(Boolean);
}

export const ofKind = (all: readonly Rendered[], ...kinds: string[]) => all.filter(({ kind }) => kinds.includes(kind));

/** Returns the part of the release that an object belongs to. */
export const partOf = (labels: Record<string, string>) => labels["app.kubernetes.io/component"] ?? "";

/** Returns the objects that create pods. */
export const workloads = (all: readonly Rendered[]) => ofKind(all, "Deployment", "StatefulSet");

/** Returns all containers of a workload, including init containers. */
export const containersOf = (workload: Rendered): Rendered[] => {
  const { initContainers = [], containers } = workload.spec.template.spec;
  return [...initContainers, ...containers];
};

/** Returns a container's environment. `externalSecrets` has the secrets that the chart does not generate. */
export function environmentOf(all: readonly Rendered[], container: Rendered, externalSecrets: Record<string, string>) {
  const env: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? [])
    Object.assign(env, ofKind(all, "ConfigMap").find(({ metadata }) => metadata.name === configMapRef.name)?.data);
  for (const { name, value, valueFrom } of container.env ?? []) {
    const { secretKeyRef, fieldRef } = valueFrom ?? {};
    const secret = ofKind(all, "Secret").find(({ metadata }) => metadata.name === secretKeyRef?.name);
    env[name] =
      value ?? secret?.stringData[secretKeyRef.key] ?? (fieldRef ? fieldRef.fieldPath : externalSecrets[name]);
  }
  return env;
}

/** Secrets that the chart does not generate. */
export const externalSecrets = {
  SECRET_KEYS: `main:${Buffer.alloc(32).toString("base64")}`,
  CI_ADMIN_TOKEN: "a".repeat(40),
  MONGO_URL: "mongodb://elsewhere",
  NATS_URL: "nats://elsewhere",
};
