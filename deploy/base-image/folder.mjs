import { join } from "node:path";
import { dataDirOf } from "../local/start/options.mjs";

/** Returns the folder of base images of this machine's runner. */
export const baseFolder = () => {
  const { RUNNER_IMAGES_DIR, RUNNER_DIR = join(dataDirOf(), "runner") } = process.env;
  return join(RUNNER_IMAGES_DIR || join(RUNNER_DIR, ".images"), "_base/qemu/x86_64");
};
