import { BSON } from "mongodb";
test("x", async () => {
  const m = new Map<string, unknown>([["driver", { name: "a", version: "b" }], ["platform", "x"], ["os", new Map([["name", "y"]])]]);
  process.stderr.write(JSON.stringify(BSON.deserialize(BSON.serialize(m), { promoteValues: false, promoteLongs: false, promoteBuffers: false, useBigInt64: false })) + "\n");
  process.stderr.write(JSON.stringify(BSON.deserialize(BSON.serialize({c: BSON.deserialize(BSON.serialize(m))}))) + "\n");
});
