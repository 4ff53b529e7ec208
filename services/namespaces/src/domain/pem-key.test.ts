import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { privateKeyComplaints } from "./key.js";

function tlv(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...contents: Buffer[]) => tlv(0x30, ...contents);
const small = (value: number) => tlv(2, Buffer.of(value));
const octets = (content: Buffer) => tlv(4, content);
const objectId = (hex: string) => tlv(6, Buffer.from(hex, "hex"));

/** Returns a positive odd number of this many bytes. */
function long(bytes: number): Buffer {
  const number = randomBytes(bytes);
  number[0] = 0x7f;
  number[bytes - 1]! |= 1;
  return tlv(2, number);
}

const pem = (label: string, der: Buffer) =>
  `-----BEGIN ${label}-----\n${der.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END ${label}-----\n`;
const pkcs8 = (algorithm: Buffer, secret: Buffer) => pem("PRIVATE KEY", sequence(small(0), algorithm, octets(secret)));

const rsaId = objectId("2a864886f70d010101");
const dsaId = objectId("2a8648ce380401");
const ecId = objectId("2a8648ce3d0201");
const rsaWith = (version: number, ...more: Buffer[]) =>
  sequence(small(version), ...[64, 3, 64, 32, 32, 3, 3, 3].map(long), ...more);
const dsa = (prime: number, secret: number) =>
  pkcs8(sequence(dsaId, sequence(long(prime), long(20), small(2))), long(secret));

/** Returns the parameters of an ordinary curve in full instead of its name. */
function explicitCurve(): Buffer {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256", paramEncoding: "explicit" }).privateKey;
  return key.export({ format: "der", type: "pkcs8" });
}

const more = sequence(sequence(long(32), long(3), long(3)));
const explicit = createPrivateKey({ key: explicitCurve(), format: "der", type: "pkcs8" });
const p256 = objectId("2a8648ce3d030107");
const ecSecret = octets(Buffer.alloc(32, 1));

test.each<[string, string]>([
  ["DSA with a long prime", dsa(400, 20)],
  ["DSA with a long secret", dsa(128, 64)],
  ["DSA under another label", dsa(400, 20).replaceAll("PRIVATE KEY", "DSA PRIVATE KEY")],
  ["RSA with a third prime", pem("RSA PRIVATE KEY", rsaWith(1, more))],
  ["RSA with a third prime, PKCS 8", pkcs8(sequence(rsaId, tlv(5)), rsaWith(1, more))],
  ["EC with a curve of its own", explicit.export({ format: "pem", type: "sec1" }) as string],
  ["EC with a curve of its own, PKCS 8", explicit.export({ format: "pem", type: "pkcs8" }) as string],
])("rejects %s, which OpenSSL would parse", (_what, text) => {
  expect(createPrivateKey(text).asymmetricKeyType).toMatch(/^(rsa|dsa|ec)$/);
  expect(privateKeyComplaints(text)).toEqual(["Key ssh: no key found"]);
});

const traditional = sequence(small(0), ...[4000, 20, 100, 100, 100].map(long));
const exported = (key: KeyObject, type: "pkcs8" | "sec1") => key.export({ format: "pem", type }) as string;

test.each<[string, string]>([
  ["DSA", exported(generateKeyPairSync("dsa", { modulusLength: 1024, divisorLength: 160 }).privateKey, "pkcs8")],
  ["DSA as SSH tools write it", pem("DSA PRIVATE KEY", traditional)],
  ["RSA with long numbers", pem("RSA PRIVATE KEY", sequence(small(0), ...Array.from({ length: 8 }, () => long(1000))))],
  ["EC", exported(generateKeyPairSync("ec", { namedCurve: "P-521" }).privateKey, "pkcs8")],
  ["EC without its public key", pkcs8(sequence(ecId, p256), sequence(small(1), ecSecret))],
  ["EC without its public key, SEC 1", pem("EC PRIVATE KEY", sequence(small(1), ecSecret, tlv(0xa0, p256)))],
  ["one line", pkcs8(sequence(rsaId, tlv(5)), rsaWith(0)).replace(/(?<=[\w+/])\n(?=[\w+/=])/g, "")],
])("accepts %s", (_what, text) => {
  expect(privateKeyComplaints(text)).toEqual([]);
});

const body = rsaWith(0).toString("base64");

test.each<[string, string]>([
  ["an indefinite length", Buffer.from("3080020100", "hex").toString("base64")],
  ["a length of eight bytes", Buffer.from("308800000000000000ff", "hex").toString("base64")],
  ["more after its end", Buffer.concat([rsaWith(0), small(1)]).toString("base64")],
  ["padding in its middle", `AAA=\n${body}`],
  ["an empty line in its middle", `${body.slice(0, 64)}\n \n${body.slice(64)}`],
])("rejects a key with %s", (_what, text) => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${text}\n-----END RSA PRIVATE KEY-----\n`;
  expect(privateKeyComplaints(key)).toEqual(["Key ssh: no key found"]);
});
