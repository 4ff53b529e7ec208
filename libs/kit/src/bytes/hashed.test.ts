import { createHash, createHmac } from "node:crypto";
import { turnsDuring } from "@ci/testkit/turns-during";
import { hashed } from "./hashed.js";

const bytes = Buffer.alloc(8 * 1024 ** 2 + 5, "text");

test("hashed returns the hash of all bytes, and other work runs in between", async () => {
  const hash = createHash("sha256");
  expect(await turnsDuring(hashed(hash, bytes))).toBeGreaterThan(6);
  expect(hash.digest("hex")).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect((await hashed(createHmac("sha256", "k"), Buffer.alloc(0))).digest("hex")).toBe(
    createHmac("sha256", "k").digest("hex"),
  );
});
