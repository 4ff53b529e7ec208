import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { cleanKeyName, cleanPrivateKey, keyNameComplaints, privateKeyComplaints } from "./key.js";

const noKey = ["Key ssh: no key found"];
const encrypted = ["Key ssh: key is encrypted"];

/** Made with `ssh-keygen -t ed25519` for these tests only. */
const ed25519 = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACA9NP+qqxwW7u8xwl9Mv+p3H6r0oPZTJXdeJtfApssbTAAAAIhkJYWwZCWF
sAAAAAtzc2gtZWQyNTUxOQAAACA9NP+qqxwW7u8xwl9Mv+p3H6r0oPZTJXdeJtfApssbTA
AAAECrtF73CnPK5Sc80M415Q0//ENXbKysbxEB18wLGlgZTD00/6qrHBbu7zHCX0y/6ncf
qvSg9lMld14m18CmyxtMAAAABHRlc3QB
-----END OPENSSH PRIVATE KEY-----
`;
/** The same with a passphrase. */
const ed25519Encrypted = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABAUQBuYxd
NK4K8GGMsY5YG4AAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIE9PN/CMOgIfRZYs
YJDcIa3oNUi45II8fFdM+csL6UV5AAAAkE3Hyhx2Av2dXvDyZb5LS0VpLL7hHK0C4Ju3lk
+Pk2sSkEA4AKHYeDtOdajCIxLEQm14Wa5/V760YuXiwXsnw3uJW7rBUVq6Slb1wlUGH1RH
IlGkBvwUp6WbFrfTgcVIXUihrkj1HShs1Yfh/KiVZ/WT3DIRuG50yurINl7+gNJcu5Sp1b
uG8GO/HS1Y0CLoxw==
-----END OPENSSH PRIVATE KEY-----
`;
/** Made with `ssh-keygen -t ecdsa`. */
const ecdsa = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAaAAAABNlY2RzYS
1zaGEyLW5pc3RwMjU2AAAACG5pc3RwMjU2AAAAQQQ/p/jwxNj7L43j6ztE5pn3FG6QgG5L
F/afGs5+/3CkFBwEvYhLgwooP3rfbV/0ykJ8AYhhZ1ffv0JHsScLgtKzAAAAoGTIG+JkyB
viAAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBD+n+PDE2PsvjePr
O0TmmfcUbpCAbksX9p8azn7/cKQUHAS9iEuDCig/et9tX/TKQnwBiGFnV9+/QkexJwuC0r
MAAAAhAOGHfnHsyh/z4ciG9IZrlK170Jk1nGmMto+wlqgznM2HAAAABHRlc3QBAgM=
-----END OPENSSH PRIVATE KEY-----
`;

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = (key: KeyObject, type: "pkcs1" | "pkcs8" | "sec1", cipher?: string, passphrase?: string) =>
  key.export({ format: "pem", type: type as "pkcs8", cipher, passphrase }) as string;
const rsaPem = pem(rsa.privateKey, "pkcs1");
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** Returns an OpenSSH key with some of its bytes changed. */
function changed(key: string, change: (bytes: Buffer) => Buffer): string {
  const [first, ...rest] = key.trimEnd().split("\n");
  const last = rest.pop();
  const bytes = change(Buffer.from(rest.join(""), "base64"));
  return `${first}\n${bytes.toString("base64")}\n${last}\n`;
}

describe("privateKeyComplaints", () => {
  test.each([
    ["OpenSSH, Ed25519", ed25519],
    ["OpenSSH, ECDSA", ecdsa],
    ["PKCS 1", rsaPem],
    ["PKCS 8", pem(rsa.privateKey, "pkcs8")],
    ["SEC 1", pem(ec, "sec1")],
    ["Ed25519 in PKCS 8", pem(generateKeyPairSync("ed25519").privateKey, "pkcs8")],
    ["Windows line ends", ed25519.replaceAll("\n", "\r\n")],
    ["PEM with Windows line ends", rsaPem.replaceAll("\n", "\r\n")],
    ["no line end after the last line", ed25519.trimEnd()],
    ["blank lines before it", `\n  \n${ed25519}`],
    [
      "parameters before it",
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${pem(ec, "sec1")}`,
    ],
  ])("accepts %s", (_what, text) => {
    expect(privateKeyComplaints(text)).toEqual([]);
  });

  test.each([
    ["OpenSSH", ed25519Encrypted],
    ["PKCS 1", pem(rsa.privateKey, "pkcs1", "aes-128-cbc", "secret")],
    ["PKCS 8", pem(rsa.privateKey, "pkcs8", "aes-256-cbc", "secret")],
  ])("rejects an encrypted key, %s", (_what, text) => {
    expect(privateKeyComplaints(text)).toEqual(encrypted);
  });

  test.each([
    ["blank", " \n"],
    ["text", "not a key"],
    ["a public key", rsa.publicKey.export({ format: "pem", type: "spki" }) as string],
    ["a public key of SSH", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAID00/6qrHBbu7zHCX0y/6ncfqvSg9lMld14m18CmyxtM a@b"],
    ["a key without its end", rsaPem.slice(0, -10)],
    ["PEM that holds no key", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"],
    ["an empty block", "-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n"],
    ["a kind that SSH does not support", pem(generateKeyPairSync("x25519").privateKey, "pkcs8")],
    ["OpenSSH with text before it", `My key:\n${ed25519}`],
    ["OpenSSH of another version", changed(ed25519, (bytes) => Buffer.from(bytes).fill("2", 13, 14))],
    ["OpenSSH cut off", changed(ed25519, (bytes) => bytes.subarray(0, 150))],
    ["OpenSSH with more after its end", changed(ed25519, (bytes) => Buffer.concat([bytes, bytes]))],
    ["OpenSSH with check numbers that differ", changed(ed25519, (bytes) => Buffer.from(bytes).fill(0, 98, 100))],
    ["OpenSSH whose padding is wrong", changed(ed25519, (bytes) => Buffer.from(bytes).fill(9, bytes.length - 1))],
    ["OpenSSH whose halves differ in kind", changed(ed25519, (bytes) => Buffer.from(bytes).fill("x", 120, 121))],
  ])("rejects %s", (_what, text) => {
    expect(privateKeyComplaints(text)).toEqual(noKey);
  });

  test("requires a key", () => expect(privateKeyComplaints("")).toEqual(["Key field required"]));
});

test("cleanPrivateKey removes carriage returns and ends the last line", () => {
  expect(cleanPrivateKey("\r\na\r\nb\r")).toBe("a\nb\n");
  expect(cleanPrivateKey("a\n")).toBe("a\n");
});

test("cleanKeyName replaces characters that are unsafe in a file name", () => {
  expect(cleanKeyName("id_rsa-1.key")).toBe("id_rsa-1.key");
  expect(cleanKeyName("../my kéy\n💥")).toBe(".._my_k_y__");
});

test.each([
  ["", ["Name field required"]],
  ["id", []],
  [".", ["Name is reserved"]],
  ["..", ["Name is reserved"]],
  ["config", ["Name is reserved"]],
  ["known_hosts", ["Name is reserved"]],
  ["authorized_keys", ["Name is reserved"]],
  ["Config", []],
  ["a".repeat(255), []],
  ["a".repeat(256), ["Name cannot be longer than 255 characters in length"]],
])("checks the key name %p", (name, complaints) => {
  expect(keyNameComplaints(name)).toEqual(complaints);
});
