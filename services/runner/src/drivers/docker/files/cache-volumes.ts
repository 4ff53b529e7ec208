import { posix } from "node:path";
import { isBelow } from "../../../caches/names.js";
import type { Order } from "../../../driver.js";

export const home = "/root";

export interface SharedVolume {
  readonly name: string;
  /** Where it is mounted in every container of the build. */
  readonly target: string;
}

/** Returns the path in a container of a path that may begin with `~/`. */
export const located = (workspace: string, path: string): string =>
  path.startsWith("~/") ? posix.join(home, path.slice(2)) : posix.resolve(workspace, path);

/** Returns the volumes for what caches keep outside the workspace. Each job has another container. */
export function cacheVolumes(name: string, { workspace, cachePaths = [] }: Pick<Order, "workspace" | "cachePaths">) {
  const paths = cachePaths.map((path) => located(workspace, path)).filter((path) => !isBelow(path, workspace));
  const outer = [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isBelow(path, other)));
  return outer.map((target, index): SharedVolume => ({ name: `${name}-cache${index + 1}`, target }));
}
