import { authorization } from "./token.js";

test("a challenge of one long word is read in linear time", async () => {
  const asking = { repository: "x", login: undefined, signal: new AbortController().signal };
  // The HTTP client accepts headers of up to 16 KiB.
  const challenge = `Bearer ${"a".repeat(16 * 1024)}`;
  const before = process.cpuUsage();
  for (let look = 0; look < 200; look++) {
    await expect(authorization({} as never, challenge, asking)).rejects.toThrow("invalid response");
  }
  // Quadratic work took minutes of processor time.
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
