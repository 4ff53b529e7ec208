import { parentPort, workerData } from "node:worker_threads";
import { isBlank, readManifest } from "@ci/manifest/manifest";
import type { ManifestTask } from "./read-manifest.js";

const { text, limits, asks } = workerData as ManifestTask;
parentPort!.postMessage(asks === "blank" ? isBlank(text, limits.maxBytes) : readManifest(text, limits));
