import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { isServiceName, type ServiceName } from "./callers.js";
import { callTimeoutMs } from "./method.js";

/** The keys of an installation on one machine: a service's own private key, and the public keys of all. */
export interface ServiceKeys {
  readonly own: KeyObject;
  readonly peers: ReadonlyMap<ServiceName, KeyObject>;
}

/** Long enough for one signature to serve many calls. Receivers accept it for as much longer as a call may wait. */
const lifeMs = 30_000;
const maxVerified = 1_000;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const header = part({ alg: "EdDSA", typ: "JWT" });

interface Claims {
  readonly iss: string;
  readonly aud: string;
  /** The end of its life, in milliseconds of the machine's clock. */
  readonly untilMs: number;
}

/** The monotonic clock, which all processes of a machine share and nobody can set. */
const machineMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** The gRPC service of a method's path. A token is valid for one of them, so that its receiver cannot use it elsewhere. */
export const audienceOf = (path: string): string => path.slice(1, path.indexOf("/", 1));

/** Returns a function that states the service's name, signed (JWT, EdDSA). A statement is reused for half of its life. */
export function signer(service: ServiceName, key: KeyObject, now = machineMs): (audience: string) => string {
  const made = new Map<string, { readonly token: string; readonly untilMs: number }>();
  return (audience) => {
    const last = made.get(audience);
    if (last && last.untilMs - now() > lifeMs / 2) return last.token;
    const untilMs = now() + lifeMs;
    const signed = `${header}.${part({ iss: service, aud: audience, untilMs } satisfies Claims)}`;
    const token = `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`;
    made.set(audience, { token, untilMs });
    return token;
  };
}

function verified(token: string, peers: ServiceKeys["peers"]): (Claims & { iss: ServiceName }) | undefined {
  const [head, body = "", signature = "", ...more] = token.split(".");
  if (head !== header || more.length > 0) return undefined;
  try {
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
    const { iss } = claims;
    const key = isServiceName(iss) ? peers.get(iss) : undefined;
    if (!key || !isServiceName(iss)) return undefined;
    const isTrue = verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
    return isTrue ? { ...claims, iss } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a function that returns who signed a token, or undefined if it is not valid for this audience now. */
export function verifier(peers: ServiceKeys["peers"], now = machineMs) {
  const known = new Map<string, Claims & { iss: ServiceName }>();
  return (token: string, audience: string): ServiceName | undefined => {
    const claims = known.get(token) ?? verified(token, peers);
    if (claims?.aud !== audience) return undefined;
    const leftMs = claims.untilMs - now();
    if (!(leftMs > -callTimeoutMs && leftMs <= lifeMs)) return undefined;
    if (known.size >= maxVerified) known.clear();
    known.set(token, claims);
    return claims.iss;
  };
}

/** Reports whether a private key belongs to a public one. */
export const isPair = (own: KeyObject, peer: KeyObject): boolean => createPublicKey(own).equals(peer);
