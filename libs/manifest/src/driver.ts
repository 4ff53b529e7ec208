import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import { type Driver, Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Complaints } from "./complaints.js";
import { isImageName } from "./image-name.js";
import { complainOfUnknown, type Keys, key, mappingSchema, readKeys, type Values } from "./mapping.js";
import { wholeSchema } from "./scalar.js";
import {
  controls,
  type Json,
  orEmpty,
  orSpaced,
  readEntry,
  type Spec,
  text,
  type Where,
  word,
  wrongType,
} from "./spec.js";
import { isMapping, type Mapping } from "./tree.js";

type Type = Driver["type"];

const type = key(text, "What runs the jobs", "docker", "kind");
const dockerKeys = {
  type,
  image: key(text, "The image of the container", "node:22-alpine", "container"),
  workspace: key(
    text,
    "The folder in the container where jobs begin; an absolute path",
    "/build",
    "workdir",
    "directory",
  ),
  pull: key(
    word(["always", "if-not-present"]),
    "Whether to ask the registry each time (`always`) or to use an existing copy that builds may use (`if-not-present`). By default the registry is asked if there is no copy, no tag, or the tag `latest`. Applies to services too",
    "always",
  ),
};

const maxKeepMinutes = fixedLimit({
  max: 60,
  about: "minutes of `keep_on_failure`",
  refusal: "Manifest line L, column C: keep_on_failure must be a number of minutes from 1 to N",
});

const number = wholeSchema(1, maxKeepMinutes);
const axis = "\\$\\{";
const numberOrAxis: Json = { ...number, pattern: `${number.pattern}|${axis}|^\\s*$` };
const keepMinutes: Spec<string> = { ...text, schema: numberOrAxis };

const qemuKeys = {
  type,
  image: key(text, "The virtual machine's disk: an uploaded image or a base image", "debian-12", "disk"),
  arch: key(text, "The processor; machines are x86_64", "x86_64"),
  keep_on_failure: key(keepMinutes, "Minutes for which the machine of a failed build stays, 1 to 60", 15),
};
const keysOf: Readonly<Record<Type, Keys>> = { docker: dockerKeys, qemu: qemuKeys, os: { type } };
const required: Readonly<Record<Type, readonly string[]>> = {
  docker: ["type", "image", "workspace"],
  qemu: ["type", "image"],
  os: ["type"],
};

const isType = (given: string): given is Type => Object.hasOwn(Driver_Type, given);

function schemaOf(of: Type): Json {
  const schema = mappingSchema(keysOf[of], required[of]);
  const properties = schema.properties as Record<string, Json>;
  const { description } = properties.type!;
  return {
    ...schema,
    properties: { ...properties, type: { description, examples: [of], ...orSpaced({ const: of }, of) } },
  };
}

/** A driver whose `type` or `pull` contains an axis of the matrix. */
function schemaWithAxis(): Json {
  const schema = mappingSchema({ ...qemuKeys, ...dockerKeys }, ["type"]);
  const properties = schema.properties as Record<string, Json>;
  const { description, examples } = properties.pull!;
  const pull = { description, examples, ...orEmpty(text.schema) };
  const noAxis = { not: { type: "string", pattern: axis } };
  return { ...schema, properties: { ...properties, pull }, not: { properties: { type: noAxis, pull: noAxis } } };
}

const none: Driver = { type: "os", image: "", workspace: "", pullAlways: false, keepOnFailureMinutes: 0 };

/** Reports whether a path is absolute, below the root and without `..`. */
function isWorkspace(path: string): boolean {
  const elements = path.split("/").filter((element) => element !== "" && element !== ".");
  return path.startsWith("/") && elements.length > 0 && !elements.includes("..") && !controls.test(path);
}

const trimmed = (value: string | undefined) => value?.trim();
const placeOf = (entries: Mapping, name: string): number | undefined => entries.get(name)?.tree.at;

function docker(keys: Values<typeof dockerKeys>, entries: Mapping, complain: Complaints): Driver {
  const [image, workspace] = [trimmed(keys.image), trimmed(keys.workspace)];
  const add = (what: string, given?: string) =>
    complain.add(what, given, placeOf(entries, given ? "workspace" : "type"));
  // The spelling is the contract's.
  if (image === "") add("driver docker requies image");
  else if (image && !isImageName(image))
    complain.addAt(placeOf(entries, "image")!, `"${quoted(image)}" is not the name of an image`);
  if (workspace === "") add("driver docker requires workspace");
  else if (workspace && !isWorkspace(workspace)) add("driver docker invalid workspace", workspace);
  const pull = {
    pullAlways: keys.pull === "always",
    ...(keys.pull === "if-not-present" && { pullIfNotPresent: true }),
  };
  return { ...none, type: "docker", image: image ?? "", workspace: workspace ?? "", ...pull };
}

function qemu(keys: Values<typeof qemuKeys>, entries: Mapping, complain: Complaints): Driver {
  const [image, kept] = [trimmed(keys.image), trimmed(keys.keep_on_failure)];
  const minutes = /^\d{1,2}$/.test(kept ?? "") ? Number(kept) : 0;
  if (image === "") complain.add("driver qemu requires image", "", placeOf(entries, "type"));
  if (kept && (minutes < 1 || minutes > maxKeepMinutes))
    complain.addAt(
      placeOf(entries, "keep_on_failure")!,
      `keep_on_failure must be a number of minutes from 1 to ${maxKeepMinutes}, not "${quoted(kept)}"`,
    );
  return { ...none, type: "qemu", image: image ?? "", keepOnFailureMinutes: minutes };
}

/** Reads the keys that a driver of this type has, and complains about others. */
function driverOf(of: Type, entries: Mapping, where: Where): Driver {
  const { complain } = where;
  complainOfUnknown(entries, keysOf[of], ` in a driver of type ${of}`, complain);
  const whereOf = (name: string) => ({ ...where, name });
  if (of === "docker") return docker(readKeys(entries, dockerKeys, whereOf), entries, complain);
  if (of === "qemu") return qemu(readKeys(entries, qemuKeys, whereOf), entries, complain);
  return none;
}

/** The keys of a driver. `readDriver` checks them. */
export const driver: Spec<Mapping> = {
  noun: "a mapping",
  schema: { anyOf: [...(Object.keys(keysOf) as Type[]).map(schemaOf), schemaWithAxis()] },
  none: new Map(),
  read: (tree, where) => (isMapping(tree) ? tree.value : wrongType(tree, where, "a mapping")),
};

/** Reads a driver. The result counts only if there are no complaints. Without `accepted`, any type is. */
export function readDriver(
  entries: Mapping | undefined,
  accepted: readonly string[] | undefined,
  where: Where,
  at?: number,
): Driver {
  if (!entries) return none;
  const { complain } = where;
  const type = entries.get("type");
  const given = trimmed(readEntry(text, type, where));
  if (given === undefined) return none;
  if (!isType(given)) {
    complain.add("invalid driver specified", given, type?.tree.at ?? at);
    return none;
  }
  if (accepted && !accepted.includes(given))
    complain.add(`driver error: ${given} - driver disabled`, "", type?.tree.at);
  return driverOf(given, entries, where);
}
