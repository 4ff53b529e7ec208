import { createPrivateKey } from "node:crypto";

const integer = 0x02;
const octets = 0x04;
const objectId = 0x06;
const sequence = 0x30;
const ecParameters = 0xa0;
const ecPublicKey = 0xa1;

const maxDsaPrimeBytes = 3072 / 8;
const maxDsaSecretBytes = 256 / 8;
const sshTypes = ["rsa", "ec", "ed25519", "dsa"];

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** Returns the elements of DER. Throws RangeError if a length is indefinite or too long. */
function elementsOf(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag, first] = [bytes.readUInt8(at), bytes.readUInt8(at + 1)];
    const width = first < 0x80 ? 0 : first - 0x80;
    const length = first < 0x80 ? first : bytes.readUIntBE(at + 2, width);
    const from = at + 2 + width;
    at = from + length;
    if (at > bytes.length) throw new RangeError("The element is longer than the rest of the key");
    elements.push({ tag, content: bytes.subarray(from, at) });
  }
  return elements;
}

const begins = (elements: readonly Element[], ...tags: number[]) => tags.every((tag, i) => elements[i]?.tag === tag);
const areNumbers = (elements: readonly Element[], count: number) =>
  elements.length === count && elements.every(({ tag }) => tag === integer);

function inSequence(bytes: Buffer): Element[] {
  const elements = elementsOf(bytes);
  return elements.length === 1 && begins(elements, sequence) ? elementsOf(elements[0]!.content) : [];
}

/** The version is 0 if there are two primes. OpenSSL multiplies more of them. */
const isRsa = (key: Element[]) => areNumbers(key, 9) && key[0]!.content.equals(Buffer.of(0));

const isEc = (key: Element[]) =>
  begins(key, integer, octets) &&
  key
    .slice(2)
    .every(
      ({ tag, content }) => tag === ecPublicKey || (tag === ecParameters && begins(elementsOf(content), objectId)),
    );

/** OpenSSL computes the public key, which takes minutes if these numbers are long. */
function isDsa(parameters: Element, secret: Buffer): boolean {
  const [numbers, exponent] = [elementsOf(parameters.content), elementsOf(secret)];
  const within = (numbers: Element[], maxBytes: number) =>
    numbers.every(({ content }) => content.length <= maxBytes + 1);
  return (
    areNumbers(numbers, 3) &&
    areNumbers(exponent, 1) &&
    within(numbers, maxDsaPrimeBytes) &&
    within(exponent, maxDsaSecretBytes)
  );
}

const algorithms: Readonly<Record<string, (parameters: Element, secret: Buffer) => boolean>> = {
  "2a864886f70d010101": (_parameters, secret) => isRsa(inSequence(secret)),
  "2a8648ce380401": isDsa,
  "2a8648ce3d0201": ({ tag }, secret) => tag === objectId && isEc(inSequence(secret)),
  "2b6570": () => true,
};

function isPkcs8([, algorithm, secret]: Element[]): boolean {
  const [id, parameters = { tag: 0, content: Buffer.of() }] = elementsOf(algorithm!.content);
  const check = id?.tag === objectId ? algorithms[id.content.toString("hex")] : undefined;
  return check?.(parameters, secret!.content) ?? false;
}

/** Reports whether OpenSSL parses the key in milliseconds. */
function isSupported(der: Buffer): boolean {
  const key = inSequence(der);
  return begins(key, integer, sequence, octets) ? isPkcs8(key) : isRsa(key) || areNumbers(key, 6) || isEc(key);
}

function decoded(body: string): Buffer | undefined {
  const lines = body.trimStart().split("\n");
  // OpenSSL takes what is before an empty line for headers.
  if (lines.some((line) => line.trim() === "")) return undefined;
  const der = Buffer.from(body, "base64");
  return der.toString("base64") === body.replace(/\s/g, "") ? der : undefined;
}

/** Reports whether a PEM block holds a private key that SSH can use. */
export function isPemKey(label: string, body: string): boolean {
  try {
    const der = decoded(body);
    if (!der || !isSupported(der)) return false;
    const pem = `-----BEGIN ${label}-----\n${der.toString("base64")}\n-----END ${label}-----\n`;
    return sshTypes.includes(createPrivateKey(pem).asymmetricKeyType!);
  } catch {
    return false;
  }
}
