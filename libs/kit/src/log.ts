import pino from "pino";
import { currentCaller } from "./caller.js";

export type Log = pino.Logger;

/** A JSON logger for one service; every line names the request it belongs to. Level `silent` writes nothing. */
export const createLog = (service: string, level: string): Log =>
  pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const caller = currentCaller();
      return caller ? { requestId: caller.requestId, userId: caller.userId } : {};
    },
  });
