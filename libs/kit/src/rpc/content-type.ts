import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import type { TsProtoServiceDefinition } from "nice-grpc";

type MessageType = TsProtoServiceDefinition["methods"][string]["requestType"];
type Message = Readonly<Record<string, unknown>>;

/** How a message holds a chunk of content and nothing else. */
interface Holding {
  chunkIn(message: Message): Buffer | undefined;
  message(chunk: Buffer): Message;
}

const asPart: Holding = {
  chunkIn({ part }) {
    const { $case, value } = (part ?? {}) as { $case?: string; value?: Buffer };
    return $case === "chunk" ? value : undefined;
  },
  message: (value) => ({ part: { $case: "chunk", value } }),
};

const asField: Holding = {
  chunkIn: (message) => (Object.keys(message).join() === "chunk" ? (message.chunk as Buffer) : undefined),
  message: (chunk) => ({ chunk }),
};

/** A shorter chunk is copied, so that it does not keep the memory of all that arrived with it. */
const shortBytes = 16 * 1024;

/** Returns the tag of the only field of a message with a chunk of one byte; undefined if the type has no such field. */
function tagOf({ encode, fromPartial }: MessageType, holding: Holding): number | undefined {
  const bytes = encode(fromPartial!(holding.message(Buffer.of(0)))).finish();
  return bytes.length === 3 ? bytes[0] : undefined;
}

function withoutCopies(type: MessageType, tag: number, holding: Holding): MessageType {
  return {
    ...type,
    encode(message) {
      const chunk = holding.chunkIn(message);
      if (!chunk || chunk.length < shortBytes) return type.encode(message);
      const head = new BinaryWriter().uint32(tag).uint32(chunk.length).finish();
      const bytes = Buffer.allocUnsafeSlow(head.length + chunk.length);
      bytes.set(head);
      bytes.set(chunk, head.length);
      // nice-grpc copies what it gets into a Buffer, except the memory itself.
      return { finish: () => bytes.buffer as unknown as Uint8Array };
    },
    decode(bytes) {
      if (bytes.length < shortBytes || bytes[0] !== tag) return type.decode(bytes);
      const reader = new BinaryReader(bytes);
      reader.uint32();
      const length = reader.uint32();
      if (reader.pos + length !== bytes.length) return type.decode(bytes);
      return holding.message(Buffer.from(bytes.buffer, bytes.byteOffset + reader.pos, length));
    },
  };
}

/** Returns a type with the same messages, of which those that carry content are copied less often. */
export function contentType(type: MessageType): MessageType {
  for (const holding of [asPart, asField]) {
    const tag = tagOf(type, holding);
    if (tag !== undefined) return withoutCopies(type, tag, holding);
  }
  return type;
}
