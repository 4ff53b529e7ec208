import type { MongoClient } from "mongodb";
import type { Log } from "../process/log.js";

/** Reports whether commands are logged: at level `debug`. */
export const logsCommands = (log: Log | undefined): boolean => log?.isLevelEnabled("debug") === true;

/** Logs each command, without its values, beside the request or loop that it belongs to. */
export function logCommands(client: MongoClient, log: Log): void {
  client.on("commandStarted", ({ commandName: command, command: sent }) => {
    const named = command === "getMore" ? sent.collection : sent[command];
    const collection = typeof named === "string" ? named : undefined;
    log.debug({ command, collection }, "mongo command");
  });
}
