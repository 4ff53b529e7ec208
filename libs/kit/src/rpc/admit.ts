import type { Metadata } from "nice-grpc";
import { Counter } from "prom-client";
import type { Log } from "../process/log.js";
import { metrics } from "../process/metrics.js";
import { type Caller, fromMetadata } from "./caller.js";
import { callersOf, type Rpc, type ServiceName } from "./callers.js";
import { Fault } from "./fault.js";
import type { Method } from "./method.js";

const denied = new Counter({
  name: "ci_rpc_denied_total",
  help: "Calls of services that may not make them; peer is empty if the caller proved no identity",
  labelNames: ["method", "peer"],
  registers: [metrics],
});

/** Returns the caller as the metadata tells of it, without the user if this service may not speak for users. */
export function callerFrom(metadata: Metadata, service: ServiceName | undefined, rpc: Rpc): Caller {
  const caller = fromMetadata(metadata);
  if (service && callersOf(rpc).forUsers.includes(service)) return caller;
  const { userId, scope, tokenId, ...itself } = caller;
  return itself;
}

/** Returns the calling service. Fault `forbidden` if it may not make this call, or proved no identity. */
export function admit(service: ServiceName | undefined, rpc: Method, log: Log): ServiceName {
  const { forUsers, forItself } = callersOf(rpc);
  if (service && (forUsers.includes(service) || forItself.includes(service))) return service;
  denied.inc({ method: rpc.path, peer: service ?? "" });
  log.warn({ method: rpc.path, peer: service }, "denied a call");
  throw new Fault("forbidden", "This service may not make this call");
}
