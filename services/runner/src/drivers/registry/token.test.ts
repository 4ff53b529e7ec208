import { authorization } from "./token.js";

test("a challenge of one long word is read in linear time", async () => {
  const asking = { repository: "x", login: undefined, signal: new AbortController().signal };
  // Quadratic work took hours.
  const challenge = `Bearer ${"a".repeat(4 * 1024 ** 2)}`;
  await expect(authorization({} as never, challenge, asking)).rejects.toThrow("invalid response");
});
