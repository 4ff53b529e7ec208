import { parseKeys } from "@ci/kit/security/secrets";
import { encryptSecrets, textsDecrypter } from "./encrypted-secrets.js";

const keys = parseKeys(`one:${Buffer.alloc(32, 1).toString("base64")}`);
const encrypted = (webhookId: number, text: string) =>
  encryptSecrets(keys, webhookId, { current: text, earlier: [] }).current!;

test("the texts of each delivery are decrypted, whether or not the previous one had the same", () => {
  const decrypt = textsDecrypter(keys, 1);
  const [first, second] = [encrypted(1, "first"), encrypted(1, "second")];
  const deliveries = [[first], [first], [second, first], [], [second]];
  expect(deliveries.map(decrypt)).toEqual([["first"], ["first"], ["second", "first"], [], ["second"]]);
  expect(() => decrypt([encrypted(2, "of another webhook")])).toThrow("cannot be decrypted");
  expect(decrypt([first])).toEqual(["first"]);
});
