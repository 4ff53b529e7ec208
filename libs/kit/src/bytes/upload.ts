import { Fault } from "../rpc/fault.js";

export interface UploadMessage<H> {
  readonly part?:
    | { readonly $case: "header"; readonly value: H }
    | { readonly $case: "chunk"; readonly value: Buffer }
    | { readonly $case: "end"; readonly value: boolean }
    | undefined;
}

const chunkBytes = 256 * 1024;

export async function* sendUpload<H>(header: H, content: AsyncIterable<Uint8Array>) {
  yield { part: { $case: "header" as const, value: header } };
  for await (const bytes of content)
    for (let from = 0; from < bytes.length; from += chunkBytes) {
      const { buffer, byteOffset, length } = bytes.subarray(from, from + chunkBytes);
      // Shares the memory: `Buffer.from(bytes)` would copy it.
      yield { part: { $case: "chunk" as const, value: Buffer.from(buffer, byteOffset, length) } };
    }
  yield { part: { $case: "end" as const, value: true } };
}

/** Separates header and content. Without an end message, content throws: gRPC ends aborted streams as if complete. */
export async function receiveUpload<H>(
  messages: AsyncIterable<UploadMessage<H>>,
): Promise<{ header: H; content: AsyncGenerator<Buffer> }> {
  const source = messages[Symbol.asyncIterator]();
  const next = async () => {
    const step = await source.next();
    return step.done ? undefined : step.value.part;
  };
  const header = await next();
  if (header?.$case !== "header") throw new Fault("invalid", "The header comes first");
  async function* content(): AsyncGenerator<Buffer> {
    for (;;) {
      const part = await next();
      if (part?.$case === "end") return;
      if (part?.$case !== "chunk") throw new Fault("unavailable", "The upload was broken off");
      yield part.value;
    }
  }
  return { header: header.value, content: content() };
}
