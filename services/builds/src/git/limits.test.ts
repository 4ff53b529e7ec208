import { readPack } from "@ci/git/pack";
import { budgetOf } from "@ci/git/pack-limits";
import { maxObjects } from "./limits.js";

test("a commit of 2,000,000 objects is refused before any of them is read", async () => {
  const pack = Buffer.from("PACK\0\0\0\x02\0\0\0\0");
  pack.writeUInt32BE(2_000_000, 8);
  await expect(readPack(pack, "sha1", budgetOf(1024 ** 2, maxObjects))).rejects.toThrow("more than 50000 objects");
});
