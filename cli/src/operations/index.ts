import { flag, number, type Spec } from "../command.js";
import { accounts } from "./accounts.js";
import { builds } from "./builds.js";
import { inputs } from "./inputs.js";
import { namespaces } from "./namespaces.js";
import type { Operations } from "./operation.js";

export const operations: Operations = { ...builds, ...inputs, ...namespaces, ...accounts };

const limit = number("At most this many");
const yes = flag("Do not ask");

/** The operations as commands. */
export const specs: Readonly<Record<string, Spec>> = Object.fromEntries(
  Object.entries(operations).map(([name, { about, args, options, method, columns, asks, only }]) => {
    const all = only && { all: flag(only.all) };
    const common = { ...all, ...(method === "GET" && columns ? { limit } : {}), ...(asks ? { yes } : {}) };
    return [name, { about, args, options: { ...options, ...common } } as Spec];
  }),
);

export const groups: Readonly<Record<string, string>> = {
  inputs: "Variables, keys and objects of a build",
  ns: "Namespaces, which hold builds and what builds use",
  invites: "Invites to namespaces",
  vars: "Environment variables for builds",
  keys: "SSH keys for builds",
  objects: "Files that builds can use",
  images: "Disk images for virtual machines",
  cron: "Builds on a schedule",
  webhooks: "Webhooks of a namespace and their deliveries",
  repos: "Git repositories whose pushes submit builds",
  caches: "Files that are kept between builds",
  tokens: "Your tokens, and those of all users for administrators",
  sessions: "Browsers where you are signed in",
  identities: "Your identities at OpenID Connect providers",
  users: "Users, for administrators",
};
