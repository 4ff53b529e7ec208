import { webcrypto } from "node:crypto";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { DueDelivery } from "../store/delivery-doc.js";
import type { Payloads } from "../store/payloads.js";
import { keptByLength } from "./kept-by-length.js";

/** A delivery's payload; undefined if nobody has stored it, or if it is removed. */
export type Payload = string | Buffer | undefined;

/** Payloads that the deliveries of an event share. In memory, they share one copy too. */
export interface SharedPayloads {
  /** Stores payloads and returns their ids. Must end before a delivery refers to one. */
  store(texts: readonly string[]): Promise<string[]>;
  read(delivery: Pick<DueDelivery, "request" | "sharedRequest">): Promise<Payload>;
}

const maxKeptBytes = fixedLimit({
  max: 8 * 1024 ** 2,
  unit: "bytes",
  about: "shared payloads that a process keeps between attempts",
  effect: "the least recently sent ones are read again",
});

/** Computed beside the event loop, because payloads are large. */
const sha256 = async (bytes: Buffer): Promise<string> =>
  Buffer.from(await webcrypto.subtle.digest("SHA-256", bytes)).toString("hex");

export function sharedPayloads(payloads: Pick<Payloads, "store" | "read">): SharedPayloads {
  const kept = keptByLength<Buffer | undefined>(maxKeptBytes);

  async function bytesOf(id: string): Promise<Buffer | undefined> {
    const text = await payloads.read(id);
    return text === undefined ? undefined : Buffer.from(text);
  }

  return {
    async store(texts) {
      const ids: string[] = [];
      for (const text of texts) {
        const bytes = Buffer.from(text);
        const id = await sha256(bytes);
        ids.push(id);
        kept.keep(id, Promise.resolve(bytes));
      }
      if (texts.length > 0) await payloads.store(new Map(ids.map((id, index) => [id, texts[index]!])));
      return ids;
    },
    async read({ request, sharedRequest }) {
      if (request) return request.payload;
      const { payloadId } = sharedRequest!;
      const bytes = kept.take(payloadId) ?? bytesOf(payloadId);
      kept.keep(payloadId, bytes);
      return bytes;
    },
  };
}
