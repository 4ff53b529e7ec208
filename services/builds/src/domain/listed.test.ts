import { listedManifest } from "./listed.js";

test.each(["", "a: b", "x".repeat(65_536)])("a manifest of up to 64 KiB is listed as it is", (text) => {
  expect(listedManifest(text)).toBe(text);
});

test("of a longer manifest the beginning is listed, up to a whole character", () => {
  expect(listedManifest("x".repeat(100_000))).toBe(`${"x".repeat(65_536)}\n# 34464 bytes left out, see url\n`);
  expect(listedManifest(`x${"ü".repeat(50_000)}`)).toBe(
    `x${"ü".repeat(32_767)}\n# ${100_001 - 65_535} bytes left out, see url\n`,
  );
});
