import type { IncomingMessage } from "node:http";
import { Refusal } from "../http/answer.js";

export type BodyKind = "json" | "urlencoded" | "multipart" | "raw";

const kinds = [
  ["application/json", "json"],
  ["application/x-www-form-urlencoded", "urlencoded"],
  ["multipart/form-data", "multipart"],
] as const;

/** Returns how to parse a request's body. Ignores the parameters of the Content-Type. */
export function bodyKind({ headers }: IncomingMessage): BodyKind {
  const type = (headers["content-type"] ?? "").trimStart().toLowerCase();
  return kinds.find(([start]) => type.startsWith(start))?.[1] ?? "raw";
}

export const tooLarge = (): Refusal => new Refusal(413, "Request body too large");

/** Returns the error that stops reading a body when its client has disconnected. No client receives it. */
export const cutOff = (): Refusal => new Refusal(400, "Request body ended too early");

/** Reads the whole body. Throws 413 as soon as it exceeds the limit; the rest is then still arriving. */
export function readAll(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const done = (settle: () => void) => {
      request.off("data", take).off("end", end).off("error", cut).off("close", cut);
      settle();
    };
    const take = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) done(() => reject(tooLarge()));
      else chunks.push(chunk);
    };
    const end = () => done(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const cut = () => done(() => reject(cutOff()));
    request.on("data", take).on("end", end).on("error", cut).on("close", cut);
  });
}

/** Yields the body as it arrives. If the reader stops early, the request stays open for its answer. */
export async function* contentOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  } catch {
    throw cutOff();
  }
}
