import { inspect } from "node:util";
import { decrypt, encrypt, keyIdOf, parseKeys } from "./secrets.js";

const base64 = (byte: number, bytes = 32) => Buffer.alloc(bytes, byte).toString("base64");
const ring = parseKeys(`new:${base64(1)}`);
const owner = { kind: "variable", id: 7 };

describe("parseKeys", () => {
  test("returns a keyring that encrypts with its first key and decrypts with all keys", () => {
    const encrypted = encrypt(ring, "hunter2", owner);
    const later = parseKeys(` newer:${base64(2)} , new:${base64(1)}`);
    expect(decrypt(later, encrypted, owner)).toBe("hunter2");
    expect(keyIdOf(encrypted)).toBe("new");
    expect(keyIdOf(encrypt(later, "hunter2", owner))).toBe("newer");
  });

  const good = `a:${base64(1)}`;
  test.each([
    ["", "Encryption key 1: expected id:base64"],
    [base64(3), "Encryption key 1: expected id:base64"],
    [`${good},${base64(3)}`, "Encryption key 2: expected id:base64"],
    [`${good},`, "Encryption key 2: expected id:base64"],
    [`:${base64(3)}`, "Encryption key 1: the id must be 1 to 32 letters, digits, - or _"],
    [`${base64(3)}:a`, "Encryption key 1: the id must be 1 to 32 letters, digits, - or _"],
    [`${good},b:${base64(3, 16)}`, "Encryption key 2: the key has 16 bytes, expected 32"],
    [`${good},b:${base64(3, 33)}`, "Encryption key 2: the key has 33 bytes, expected 32"],
    ["b:not base64!", "Encryption key 1: the key is not base64"],
    ["b:", "Encryption key 1: the key is not base64"],
    [`${good},${good}`, "Encryption key 2: its id is used twice"],
  ])("rejects %j with %j", (text, message) => {
    expect(() => parseKeys(text)).toThrow(new Error(message));
  });

  test("returns a keyring that does not show its keys when printed", () => {
    expect(inspect(ring, { depth: 9, showHidden: true })).not.toMatch(/01 01|AQEB|0101/);
  });
});

describe("encrypt and decrypt", () => {
  test.each(["", "x", "größer ✓", "line\nline\n", "s".repeat(100_000)])("return the original value (%#)", (plain) => {
    expect(decrypt(ring, encrypt(ring, plain, owner), owner)).toBe(plain);
    expect(decrypt(ring, encrypt(ring, Buffer.from(plain), owner), owner)).toBe(plain);
  });

  test("encrypt returns a different text each time for the same value", () => {
    const encrypted = Array.from({ length: 100 }, () => encrypt(ring, "hunter2", owner));
    expect(new Set(encrypted).size).toBe(100);
    expect(Buffer.from(encrypted[0]!.slice(4), "base64").includes("hunter2")).toBe(false);
  });

  test("accept an owner's id as a number or as text", () => {
    expect(decrypt(ring, encrypt(ring, "v", owner), { kind: "variable", id: "7" })).toBe("v");
  });
});

describe("decrypt rejects a value", () => {
  const encrypted = encrypt(ring, "hunter2", owner);
  const refusal = (text: string, recordOwner = owner as { kind: string; id: number | string }, keyring = ring) => {
    try {
      return decrypt(keyring, text, recordOwner);
    } catch (error) {
      return error;
    }
  };
  const fault = { code: "internal", cause: { message: expect.any(String) } };

  test("of another record", () => {
    for (const other of [
      { kind: "variable", id: 8 },
      { kind: "key", id: 7 },
      { kind: 'variable","7', id: "" },
    ])
      expect(refusal(encrypted, other)).toMatchObject(fault);
  });

  test("encrypted with another key, or with an unknown one", () => {
    expect(refusal(encrypted, owner, parseKeys(`new:${base64(2)}`))).toMatchObject(fault);
    expect(refusal(encrypted, owner, parseKeys(`other:${base64(1)}`))).toMatchObject({
      ...fault,
      cause: new Error('No encryption key "new"'),
    });
  });

  test("with any byte changed", () => {
    const bytes = Buffer.from(encrypted.slice(4), "base64");
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1;
      expect(refusal(`new:${changed.toString("base64")}`)).toMatchObject(fault);
    }
  });

  test.each(["", "new:", "new:AAAA", "hunter2", `new:${"A".repeat(37)}`])("that is not encrypted: %s", (text) => {
    expect(refusal(text)).toMatchObject(fault);
  });

  test("that is truncated", () => {
    for (let length = 0; length < encrypted.length - 4; length += 4)
      expect(refusal(encrypted.slice(0, 4 + length))).toMatchObject(fault);
  });
});
