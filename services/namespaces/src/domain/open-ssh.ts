const magic = "openssh-key-v1\0";
const blockBytes = 8;

/** The number of fields of a private key after its type, including the comment. */
const fieldCounts: Readonly<Record<string, number>> = {
  "ssh-ed25519": 3,
  "ssh-rsa": 7,
  "ssh-dss": 6,
  "ecdsa-sha2-nistp256": 4,
  "ecdsa-sha2-nistp384": 4,
  "ecdsa-sha2-nistp521": 4,
};

/** Reads length-prefixed fields in order. Throws RangeError if the bytes end too early. */
function reader(bytes: Buffer) {
  let at = 0;
  const number = () => {
    const value = bytes.readUInt32BE(at);
    at += 4;
    return value;
  };
  const field = () => {
    const length = number();
    if (at + length > bytes.length) throw new RangeError("The field is longer than the rest of the key");
    at += length;
    return bytes.subarray(at - length, at);
  };
  return { number, field, rest: () => bytes.subarray(at) };
}

/** Reports whether the bytes are the private part of a key of this type. Does not check the fields of hardware keys. */
function isPrivatePart(bytes: Buffer, type: string): boolean {
  const { number, field, rest } = reader(bytes);
  // The format has two equal numbers to detect a wrong passphrase. Here they show that the bytes are intact.
  const checks = [number(), number()];
  if (bytes.length % blockBytes !== 0 || checks[0] !== checks[1] || field().toString() !== type) return false;
  const fields = fieldCounts[type];
  if (fields === undefined) return true;
  for (let i = 0; i < fields; i++) field();
  return rest().length < blockBytes && rest().every((byte, i) => byte === i + 1);
}

/** Reports whether an `OPENSSH PRIVATE KEY` block holds a plain key or an encrypted one; undefined if neither. */
export function openSshKey(bytes: Buffer): "plain" | "encrypted" | undefined {
  if (bytes.toString("latin1", 0, magic.length) !== magic) return undefined;
  try {
    const { number, field, rest } = reader(bytes.subarray(magic.length));
    const [cipher, kdf] = [field().toString(), field().toString()];
    field();
    if (number() !== 1) return undefined;
    const type = reader(field()).field().toString();
    const secret = field();
    if (cipher !== "none" || kdf !== "none") return "encrypted";
    return rest().length === 0 && isPrivatePart(secret, type) ? "plain" : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
