import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import type { Complaints } from "./complaints.js";
import { envEntry, variable } from "./entries.js";
import { isImageName } from "./image-name.js";
import { key, type Values } from "./mapping.js";
import { entry, list, type Placed, placed, type Spec, text } from "./spec.js";

/** A container beside the jobs. */
export interface ManifestService {
  readonly name: string;
  readonly image: string;
  readonly env: readonly { readonly key: string; readonly value: string }[];
  /** Replaces the image's own command; empty for that. */
  readonly command: readonly string[];
  readonly ready?: string;
}

/** Each takes as much memory as a job. */
const maxServices = fixedLimit({
  max: 10,
  about: "services of a manifest",
  refusal: "Manifest line L, column C: cannot have more than N services",
});

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const taken = "(?:localhost|\\d+|0x[0-9a-f]*)";
const name: Spec<string> = {
  ...text,
  schema: { type: ["string", "boolean"], pattern: `^\\s*(?!${taken}\\s*$)${label}\\s*$|\\$\\{` },
};

export const serviceKeys = {
  name: key(placed(name), "Its name in the network of the build", "db", "alias", "host"),
  image: key(placed(text), "The image of the container", "postgres:17"),
  env: key(
    list(variable),
    "Environment variables as `KEY=VALUE`; services have no others",
    ["POSTGRES_PASSWORD=test"],
    ...["environment", "variables"],
  ),
  command: key(list(entry), "Command that replaces the image's own", ["postgres", "-c", "fsync=off"], "cmd", "args"),
  ready: key(
    text,
    "A command for the image's `/bin/sh` that ends with 0 once the service is ready; without it, the image's health check decides",
    "pg_isready -U postgres",
    ...["healthcheck", "health"],
  ),
};

type Given = Placed<Values<typeof serviceKeys>>;

const isName = (name: string): boolean => new RegExp(`^${label}$`).test(name);
/** Jobs take such a name for their own container, or for a number that is an address. */
const isTaken = (name: string): boolean => new RegExp(`^${taken}$`).test(name);

const nameAt = ({ at, value }: Given): number => value.name?.at ?? at;

function readService({ at, value }: Given, complain: Complaints): ManifestService {
  const name = value.name?.value.trim() ?? "";
  const image = value.image?.value.trim() ?? "";
  const ready = value.ready?.trim() ?? "";
  if (name === "") complain.addAt(nameAt({ at, value }), "a service must have a name");
  else if (!isName(name))
    complain.addAt(
      nameAt({ at, value }),
      `the name of a service must be lower-case letters, digits and dashes, not "${quoted(name)}"`,
    );
  else if (isTaken(name))
    complain.addAt(nameAt({ at, value }), `jobs cannot reach a service named "${name}"; choose another name`);
  if (image === "") complain.addAt(at, `service "${quoted(name)}" must have an image`);
  else if (!isImageName(image)) complain.addAt(value.image?.at ?? at, `"${quoted(image)}" is not the name of an image`);
  const env = new Map<string, string>();
  for (const entry of value.env ?? []) {
    const variable = envEntry(entry.value);
    if (variable) env.set(variable.key, variable.value);
    else complain.add("env invalid entry", entry.value, entry.at);
  }
  return {
    name,
    image,
    env: [...env].map(([key, value]) => ({ key, value })),
    command: (value.command ?? []).map((word) => word.value),
    ...(ready === "" ? {} : { ready }),
  };
}

/** Complains if there are too many services, and reports whether there are. */
export function complainOfTooMany(given: readonly { readonly at: number }[], complain: Complaints): boolean {
  const beyond = given[maxServices];
  if (beyond) complain.refuseAt(beyond.at, `cannot have more than ${maxServices} services`);
  return beyond !== undefined;
}

/** Reads the services of a manifest. Complains about invalid ones, and about a driver that has none. */
export function readServices(given: readonly Given[], driver: string, complain: Complaints): ManifestService[] {
  if (given.length === 0) return [];
  if (driver !== "docker") complain.refuseAt(given[0]!.at, "services require the driver docker");
  complainOfTooMany(given, complain);
  const names = new Set<string>();
  return given.slice(0, maxServices).map((one) => {
    const service = readService(one, complain);
    if (names.has(service.name)) complain.refuseAt(nameAt(one), `services duplicate name ${quoted(service.name)}`);
    names.add(service.name);
    return service;
  });
}
