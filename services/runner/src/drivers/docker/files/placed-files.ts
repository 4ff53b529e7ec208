import { posix } from "node:path";
import type Docker from "dockerode";
import { isBelow } from "../../../caches/names.js";
import type { PlacedFile } from "../../../driver.js";
import { raceAbort } from "../../../endings/ended.js";
import { removeFolder } from "../../os/files.js";
import type { Begin } from "../started-work.js";
import { putFiles } from "./archive.js";
import type { SharedVolumes } from "./shared-volumes.js";
import { type SpooledFile, spool } from "./spool.js";

interface PlacedFilesOptions {
  readonly workspace: string;
  readonly shared: Pick<SharedVolumes, "mounted">;
  /** Makes a folder of the build on the runner's disk. */
  readonly makeFolder: () => Promise<string>;
  /** Returns the first container. */
  readonly container: () => Promise<Docker.Container>;
  readonly putEverywhere: (file: SpooledFile) => void;
  readonly begin: Begin;
}

/** Places files: in the workspace and below cached paths once, because containers share them, and elsewhere in every container. */
export function placedFiles({ workspace, shared, makeFolder, container, putEverywhere, begin }: PlacedFilesOptions) {
  let folder: Promise<string> | undefined;

  async function place(file: PlacedFile, signal: AbortSignal): Promise<void> {
    folder ??= makeFolder();
    const path = posix.resolve(workspace, file.path);
    const spooled = await spool(await folder, { ...file, path }, signal);
    await putFiles(await container(), [spooled]);
    const common = [workspace, ...shared.mounted().map(({ target }) => target)];
    if (common.some((place) => isBelow(path, place))) await spooled.drop();
    else putEverywhere(spooled);
  }

  return {
    put: (file: PlacedFile, signal: AbortSignal): Promise<void> =>
      raceAbort(
        signal,
        begin(() => place(file, signal)),
      ),
    /** Removes the folder. The files stay in the containers. */
    remove: async (): Promise<void> => folder?.then(removeFolder),
  };
}
