import type { Hash, Hmac } from "node:crypto";
import { pacer } from "../turns/pacer.js";

const sliceBytes = 1024 ** 2;

/** Hashes bytes, and lets other work of the process run in between. */
export async function hashed<H extends Hash | Hmac>(hash: H, bytes: Uint8Array): Promise<H> {
  const pace = pacer(sliceBytes);
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    const slice = bytes.subarray(at, at + sliceBytes);
    hash.update(slice);
    await pace(slice.length);
  }
  return hash;
}
