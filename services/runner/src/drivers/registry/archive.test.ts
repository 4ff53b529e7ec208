import { roomFor } from "./archive.js";

const gibibyte = 1024 ** 3;

test("an image of many empty folders is refused for what they take on a disk", () => {
  const { countEntry } = roomFor(gibibyte);
  const make = (folders: number) => {
    for (let n = 0; n < folders; n++) countEntry(1, 512);
  };
  expect(() => make(262_144)).not.toThrow();
  expect(() => make(262_144)).toThrow("it is larger than 1 GiB, the limit of DOCKER_PULL_LIMIT");
});

test("an image with more than a million entries is refused", () => {
  const { countEntry } = roomFor(20 * gibibyte);
  countEntry(1_000_000, 512);
  expect(() => countEntry(1, 512)).toThrow("its layers have more than 1000000 files and folders");
});

test("a large image of 10 GB in 500,000 files stays within the limits", () => {
  const { count, countEntry } = roomFor(20 * gibibyte);
  const bytes = 512 + 20_480;
  count(500_000 * bytes);
  const countAll = () => {
    for (let n = 0; n < 500_000; n++) countEntry(1, bytes);
  };
  expect(countAll).not.toThrow();
});
