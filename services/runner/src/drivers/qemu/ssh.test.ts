import { utils } from "ssh2";
import { makeKeyPair } from "./ssh.js";

test("makeKeyPair returns only key pairs that can be parsed", () => {
  const pairs = Array.from({ length: 3_000 }, makeKeyPair);
  expect(pairs.filter((pair) => utils.parseKey(pair.private) instanceof Error)).toEqual([]);
});
