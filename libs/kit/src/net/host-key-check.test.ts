import { generateKeyPairSync } from "node:crypto";
import { hostKeyCheck } from "./host-key-check.js";

const part = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const keyOf = (type: string, ...parts: Buffer[]) => Buffer.concat([Buffer.from(type), ...parts].map(part));

const { n } = generateKeyPairSync("rsa", { modulusLength: 3_072 }).publicKey.export({ format: "jwk" });
const rsa = (exponent: Buffer) => keyOf("ssh-rsa", exponent, Buffer.from(`AA${n}`, "base64url"));
const usual = rsa(Buffer.of(1, 0, 1));

test.each<[boolean, string, Buffer]>([
  [true, "the usual exponent", usual],
  [true, "an exponent of 4 bytes", rsa(Buffer.alloc(4, 3))],
  [false, "an exponent of 5 bytes", rsa(Buffer.alloc(5, 3))],
  [false, "an exponent as long as the modulus", rsa(Buffer.alloc(384, 3))],
  [true, "an Ed25519 key", keyOf("ssh-ed25519", Buffer.alloc(32))],
  [true, "a key that ends after its type, which ssh2 refuses", keyOf("ssh-rsa")],
])("returns %s for %s", (accepted, _what, key) => expect(hostKeyCheck()(key)).toBe(accepted));

test("accepts 200 key exchanges of a connection", () => {
  const check = hostKeyCheck();
  const accepted = Array.from({ length: 201 }, () => check(usual));
  expect(accepted.indexOf(false)).toBe(200);
  expect(hostKeyCheck()(usual)).toBe(true);
});
