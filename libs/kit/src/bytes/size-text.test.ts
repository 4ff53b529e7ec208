import { roundedSize, sizeText } from "./size-text.js";

test.each([
  [0, "0 bytes"],
  [1_023, "1020 bytes"],
  [1_024, "1 KiB"],
  [5 * 1024 ** 2, "5 MiB"],
  [9.999 * 1024 ** 3, "10 GiB"],
  [9_000 * 1024 ** 4, "9000 TiB"],
])("%d bytes are shown as %s", (bytes, text) => {
  expect(roundedSize(bytes)).toBe(text);
});

test.each([
  [0, "0 bytes"],
  [100, "100 bytes"],
  [1_536, "1536 bytes"],
  [64 * 1024, "64 KiB"],
  [1_536 * 1024 ** 2, "1536 MiB"],
  [2 * 1024 ** 3, "2 GiB"],
])("%d bytes need no fraction as %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
