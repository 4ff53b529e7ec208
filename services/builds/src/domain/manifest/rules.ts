import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { type Driver, Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Complaints } from "./complaints.js";
import { text } from "./shape.js";
import type { Tree } from "./tree.js";

const none: Driver = { type: "os", image: "", workspace: "", pullAlways: false, keepOnFailureMinutes: 0 };

const isType = (type: string): type is Driver["type"] => Object.hasOwn(Driver_Type, type);

/** Reports whether a path is absolute, below the root and without `..`. */
function isWorkspace(path: string): boolean {
  const elements = path.split("/").filter((element) => element !== "" && element !== ".");
  return path.startsWith("/") && elements.length > 0 && !elements.includes("..") && !/\p{Cc}/u.test(path);
}

type Field = (key: string) => string | undefined;
type Wrong = () => void;

function docker(field: Field, wrong: Wrong, complain: Complaints): Driver {
  const image = field("image");
  const workspace = field("workspace");
  const pull = field("pull");
  // The spelling is the contract's.
  if (image === "") complain.add("driver docker requies image");
  if (workspace === "") complain.add("driver docker requires workspace");
  else if (workspace && !isWorkspace(workspace)) complain.add("driver docker invalid workspace", workspace);
  if (pull && pull !== "always" && pull !== "if-not-present") wrong();
  return { ...none, type: "docker", image: image ?? "", workspace: workspace ?? "", pullAlways: pull === "always" };
}

const maxKeepMinutes = fixedLimit({
  max: 60,
  about: "minutes of `keep_on_failure`",
  refusal: "Manifest driver qemu invalid keep_on_failure M",
});

function qemu(field: Field, complain: Complaints): Driver {
  const image = field("image");
  const kept = field("keep_on_failure");
  const minutes = /^\d{1,2}$/.test(kept ?? "") ? Number(kept) : 0;
  if (image === "") complain.add("driver qemu requires image");
  if (kept && (minutes < 1 || minutes > maxKeepMinutes)) complain.add("driver qemu invalid keep_on_failure", kept);
  return { ...none, type: "qemu", image: image ?? "", keepOnFailureMinutes: minutes };
}

/** Reads the driver of a manifest. The result counts only if there are no complaints. */
export function driverOf(
  map: Map<string, Tree> | undefined,
  accepted: readonly string[] | undefined,
  complain: Complaints,
): Driver {
  if (!map) return none;
  const wrong = () => complain.add("driver has the wrong type");
  const field: Field = (key) => text(map.get(key), wrong)?.trim();
  const type = field("type");
  if (type === undefined) return none;
  if (!isType(type)) {
    complain.add("invalid driver specified", type);
    return none;
  }
  if (accepted && !accepted.includes(type)) complain.add(`driver error: ${type} - driver disabled`);
  if (type === "qemu") return qemu(field, complain);
  // Refuse this early. Otherwise the author would learn of it only after a failure, with no machine to inspect.
  if (map.get("keep_on_failure")) complain.add(`driver ${type} does not support keep_on_failure`);
  return type === "docker" ? docker(field, wrong, complain) : { ...none, type };
}

const mib = 1024 * 1024;

export function sizeText(bytes: number): string {
  if (bytes % mib === 0) return `${bytes / mib} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}
