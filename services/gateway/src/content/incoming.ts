import type { IncomingMessage } from "node:http";
import { Refusal } from "../http/answer.js";

/** What a Content-Type makes of a body. */
export type BodyKind = "json" | "urlencoded" | "multipart" | "raw";

const kinds = [
  ["application/json", "json"],
  ["application/x-www-form-urlencoded", "urlencoded"],
  ["multipart/form-data", "multipart"],
] as const;

/** How the body of a request is to be read; every parameter of its Content-Type is ignored. */
export function bodyKind({ headers }: IncomingMessage): BodyKind {
  const type = (headers["content-type"] ?? "").trimStart().toLowerCase();
  return kinds.find(([start]) => type.startsWith(start))?.[1] ?? "raw";
}

export const tooLarge = (): Refusal => new Refusal(413, "Request body too large");

/** Thrown at whoever waits for a request that will not come to its end. Nobody is left to be answered. */
export const cutOff = (): Refusal => new Refusal(400, "Request body ended too early");

/** The whole body. Refuses with 413 as soon as it is larger than the limit; the rest is then still under way. */
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

/** The body as it comes in. When nobody wants the rest, the request stays open for its answer. */
export async function* contentOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  } catch {
    throw cutOff();
  }
}
