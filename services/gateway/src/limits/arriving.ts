import type { IncomingMessage } from "node:http";
import { Refusal } from "../http/answer.js";

/** Watches a body while it arrives, and may stop it with an error. Returns a function that ends the watch. */
export type Watch = (request: IncomingMessage, stop: (error: Error) => void) => () => void;

interface Body {
  bytes: number;
  readonly stop: (error: Error) => void;
}

interface Share {
  readonly maxBytes: number;
  bytes: number;
  readonly bodies: Set<Body>;
}

const pieceOverheadBytes = 128;

const tooMany = () => new Refusal(429, "Too many requests", { "Retry-After": "10" });

function makeRoom(share: Share): void {
  for (const { stop } of share.bodies) {
    if (share.bytes <= share.maxBytes || share.bodies.size === 1) return;
    stop(tooMany());
  }
}

/** Bounds what all arriving bodies, and those of one address, hold in memory. Beyond that, stops those that began first. */
export function arriving(maxBytes: number, maxBytesOfAddress: number): (address: string) => Watch {
  const all: Share = { maxBytes, bytes: 0, bodies: new Set() };
  const addresses = new Map<string, Share>();

  return (address) => (request, stop) => {
    const own = addresses.get(address) ?? { maxBytes: maxBytesOfAddress, bytes: 0, bodies: new Set() };
    addresses.set(address, own);
    const shares = [own, all];
    const body = { bytes: 0, stop };
    const count = ({ length }: Buffer) => {
      const bytes = length + pieceOverheadBytes;
      body.bytes += bytes;
      for (const share of shares) share.bytes += bytes;
      for (const share of shares) makeRoom(share);
    };
    for (const share of shares) share.bodies.add(body);
    request.on("data", count);
    return () => {
      request.off("data", count);
      for (const share of shares) if (share.bodies.delete(body)) share.bytes -= body.bytes;
      if (own.bodies.size === 0 && addresses.get(address) === own) addresses.delete(address);
    };
  };
}
