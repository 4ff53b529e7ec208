import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { containersOf, environmentOf, partOf, type Rendered, workloads } from "./_chart.js";
import { deployDir } from "./_compose.js";

export type Variables = Readonly<Record<string, string>>;

/** Runs deploy/secrets.sh, which creates or completes the file, and returns what the file has. */
export function composeSecrets(file: string): Variables {
  execFileSync("sh", [join(deployDir, "secrets.sh"), file]);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s) as [string, string]));
}

const composeServices = () =>
  parse(readFileSync(join(deployDir, "compose.yaml"), "utf8"), { merge: true }).services as Record<string, Rendered>;

/** Returns mongod's options in Compose or in a rendered chart, without those that depend on the machine. */
export function mongodOptions(all?: readonly Rendered[]): string[] {
  const workload = all && workloads(all).find(({ metadata }) => partOf(metadata.labels) === "mongodb");
  const args: string[] = workload
    ? containersOf(workload).find(({ name }) => name === "mongodb").args
    : composeServices().mongo.command;
  return args.filter((arg) => /^--(replSet|keyFile|tls)/.test(arg));
}

/** Returns the environment of a service of Compose. `given` is what deploy/.env has. */
export function composeEnvironment(given: Variables, service: string): Variables {
  const filled = (text: string) =>
    text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name, otherwise = "") => given[name] ?? otherwise);
  const entries = Object.entries<string | null>(composeServices()[service].environment);
  return Object.fromEntries(entries.map(([name, text]) => [name, text === null ? (given[name] ?? "") : filled(text)]));
}

/** Returns the environment of a container in a part of the rendered chart. */
export function chartEnvironment(all: readonly Rendered[], part: string, container = part): Variables {
  const workload = workloads(all).find(({ metadata }) => partOf(metadata.labels) === part);
  const found = containersOf(workload).find(({ name }) => name === container);
  return environmentOf(all, found, {});
}
