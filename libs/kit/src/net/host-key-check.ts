import { fixedLimit } from "../process/fixed-limit.js";

const rsa = Buffer.from("\0\0\0\x07ssh-rsa");
const maxExponentBytes = fixedLimit({
  max: 4,
  unit: "bytes",
  about: "bytes in the exponent of an SSH server's RSA key",
  effect: "the connection ends",
});
const maxExchanges = fixedLimit({
  max: 200,
  about: "key exchanges of one connection to an SSH server",
  effect: "the connection ends",
});

const exponentBytes = (key: Buffer): number =>
  key.subarray(0, rsa.length).equals(rsa) && key.length >= rsa.length + 4 ? key.readUInt32BE(rsa.length) : 0;

/** Returns the `hostVerifier` of one ssh2 connection. It accepts any server that costs this process little time. */
export function hostKeyCheck(): (key: Buffer) => boolean {
  let exchanges = 0;
  return (key) => ++exchanges <= maxExchanges && exponentBytes(key) <= maxExponentBytes;
}
