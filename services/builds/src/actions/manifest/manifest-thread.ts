import { parentPort } from "node:worker_threads";
import { isBlank, readManifest } from "@ci/manifest/manifest";
import type { ManifestTask } from "./read-manifest.js";

parentPort!.on("message", ({ text, limits, asks }: ManifestTask) => {
  parentPort!.postMessage(asks === "blank" ? isBlank(text, limits.maxBytes) : readManifest(text, limits));
});
