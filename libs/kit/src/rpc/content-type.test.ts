import { GetObjectRequest, ReadObjectResponse, UploadObjectRequest } from "@ci/proto/namespaces/v1/resources";
import { contentType } from "./content-type.js";

type MessageType = ReturnType<typeof contentType>;

const types: [string, MessageType, (chunk: Buffer) => object][] = [
  ["an upload", UploadObjectRequest as never, (value) => ({ part: { $case: "chunk", value } })],
  ["a download", ReadObjectResponse as never, (chunk) => ({ chunk })],
];
const long = Buffer.alloc(64 * 1024, "content");
const short = Buffer.from("short");

/** Encodes like nice-grpc. */
const encoded = (type: MessageType, message: unknown) => Buffer.from(type.encode(message).finish());

describe.each(types)("a message of %s", (_, plain, messageOf) => {
  const type = contentType(plain);
  const original = (message: object) => Buffer.from(plain.encode(plain.fromPartial!(message)).finish());

  it.each([
    ["long", long],
    ["short", short],
    ["empty", Buffer.alloc(0)],
  ])("with a %s chunk has the bytes that protobuf prescribes", (_, chunk) => {
    const message = messageOf(chunk);
    expect(encoded(type, plain.fromPartial!(message))).toEqual(original(message));
    expect(type.decode(original(message))).toEqual(plain.decode(original(message)));
  });

  it("shares the memory of what arrived with a long chunk, and copies a short one", () => {
    const sharesMemory = (chunk: Buffer) => {
      const bytes = original(messageOf(chunk));
      const { part, chunk: value = part?.value } = type.decode(bytes) as { chunk?: Buffer; part?: { value: Buffer } };
      bytes.fill(0);
      return !value!.equals(chunk);
    };
    expect([sharesMemory(long), sharesMemory(short)]).toEqual([true, false]);
  });

  it("with a second chunk is read as protobuf prescribes", () => {
    const twice = Buffer.concat([original(messageOf(long)), original(messageOf(short))]);
    expect(type.decode(twice)).toEqual(plain.decode(twice));
  });

  it("that breaks off is refused", () => {
    expect(() => type.decode(original(messageOf(long)).subarray(0, -1))).toThrow();
  });
});

it("messages of an upload without content stay as they are", () => {
  const type = contentType(UploadObjectRequest as never);
  for (const part of [
    { $case: "header", value: { name: "a name" } },
    { $case: "end", value: true },
  ]) {
    const message = UploadObjectRequest.fromPartial({ part } as never);
    const bytes = Buffer.from(UploadObjectRequest.encode(message).finish());
    expect(encoded(type, message)).toEqual(bytes);
    expect(type.decode(bytes)).toEqual(message);
  }
});

it("other types stay as they are", () => {
  expect(contentType(GetObjectRequest as never)).toBe(GetObjectRequest);
});
