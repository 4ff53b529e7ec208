import { parentPort } from "node:worker_threads";
import { type Received, readReceived } from "./read-received.js";

parentPort!.on("message", async (received: Received) => parentPort!.postMessage(await readReceived(received)));
