import pino from "pino";
import { type Caller, currentCaller } from "../rpc/caller.js";
import { traceId } from "./trace.js";

export type Log = pino.Logger;

/** What the lines of a call tell besides whose it is. */
const known = new WeakMap<Caller, Readonly<Record<string, unknown>>>();

/** From now on every line of this call tells this too, such as the build it is about. Outside of calls: no effect. */
export function addLogFields(fields: Readonly<Record<string, unknown>>): void {
  const caller = currentCaller();
  if (caller) known.set(caller, { ...known.get(caller), ...fields });
}

/** What every line of a call tells: its request, its user, its trace when there is one, and what it is about. */
function ofCall() {
  const caller = currentCaller();
  return { requestId: caller?.requestId, userId: caller?.userId, traceId: traceId(), ...(caller && known.get(caller)) };
}

/** A JSON logger for one service; every line names the request it belongs to. Level `silent` writes nothing. */
export const createLog = (service: string, level: string): Log =>
  pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: ofCall,
  });
