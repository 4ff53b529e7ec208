// All probes, by subject.
import { artifacts } from "./subjects/artifacts.mjs";
import { host } from "./subjects/host.mjs";
import { kernel } from "./subjects/kernel.mjs";
import { limits } from "./subjects/limits.mjs";
import { machines } from "./subjects/machines.mjs";
import { manifests } from "./subjects/manifests.mjs";
import { mounts } from "./subjects/mounts.mjs";
import { neighbours } from "./subjects/neighbours.mjs";
import { network } from "./subjects/network.mjs";
import { privileges } from "./subjects/privileges.mjs";
import { proc } from "./subjects/proc.mjs";
import { processes } from "./subjects/processes.mjs";

/**
 * @typedef {import("./world.mjs").World} World
 * @typedef {string | ((world: World) => string)} Script
 * @typedef {"docker" | "vm" | "os"} Place
 *
 * `sees` is what the attacker must see in the end; `shown` replaces it on the page if it has numbers that vary. `on` is
 * where the probe runs; docker if not given.
 * @typedef {{ id: string, tries: string, sees: RegExp, shown?: string, on?: Place[], driver?: object }} Common
 *
 * An attack succeeds if its script ends with 0. `before` are the commands of an earlier job of the build, `earlier` those
 * of an earlier build. An open one has to succeed: the page says what a driver does not prevent. `lift` says
 * which wall `--control` takes away so that the attack succeeds: the container (rights, the default), also its network
 * (network), or the packet filter (egress); false if that is not possible or not safe.
 * @typedef {Common & { script: Script, before?: string[], earlier?: string[], open?: true,
 *   lift?: Lift }} Attack
 * @typedef {"rights" | "network" | "egress" | false} Lift
 *
 * A build that ends in this way. `kill` kills it when its output matches.
 * @typedef {Common & { ending: string, commands: string[] | ((world: World) => string[]), artifacts?: string[],
 *   kill?: RegExp }} Ending
 *
 * A manifest that the API refuses.
 * @typedef {Common & { manifest: object }} Refusal
 *
 * @typedef {Attack | Ending | Refusal} Probe
 * @typedef {{ title: string, probes: Probe[] }} Subject
 */

/** @type {Subject[]} */
export const subjects = [
  privileges,
  kernel,
  mounts,
  proc,
  host,
  network,
  neighbours,
  limits,
  artifacts,
  manifests,
  machines,
  processes,
];

/** Returns where a probe runs. @param {Probe} probe @returns {Place[]} */
export const placesOf = ({ on = ["docker"] }) => on;
