import pino from "pino";
import { type Caller, currentCaller } from "../rpc/caller.js";
import { traceId } from "./trace.js";

export type Log = pino.Logger;

const extraFields = new WeakMap<Caller, Readonly<Record<string, unknown>>>();

/** Adds fields to all further lines of the current call, if any. */
export function addLogFields(fields: Readonly<Record<string, unknown>>): void {
  const caller = currentCaller();
  if (caller) extraFields.set(caller, { ...extraFields.get(caller), ...fields });
}

function callFields() {
  const caller = currentCaller();
  return {
    requestId: caller?.requestId,
    userId: caller?.userId,
    traceId: traceId(),
    ...(caller && extraFields.get(caller)),
  };
}

/**
 * A JSON logger for one service. Every line names the request it belongs to, and is written when the call returns: a
 * process that is killed then loses no line.
 */
export const createLog = (service: string, level: string, fd: number = process.stdout.fd): Log =>
  pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: callFields,
    },
    pino.destination({ dest: fd, sync: true }),
  );
