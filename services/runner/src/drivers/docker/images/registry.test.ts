import { parseAllow } from "@ci/kit/net/guard";
import { checkRegistry } from "./registry.js";

const rules = (allow: string, ...registries: string[]) => ({ registries, guard: { allow: parseAllow(allow) } });

test.each([
  "127.0.0.1/x",
  "127.1/x",
  "0x7f.1/x",
  "2130706433.:80/x",
  "localhost:5000/x",
  "169.254.169.254/x",
  "10.0.0.1:5000/x",
  "no-such.invalid/x",
  "a.b:99999/x",
])("builds may not pull %s", async (image) => {
  await expect(checkRegistry(image, rules(""))).rejects.toMatchObject({
    name: "Fault",
    code: expect.stringMatching(/precondition|invalid/),
  });
});

test("an allow-list opens a registry at one port", async () => {
  expect(await checkRegistry("127.0.0.1:5000/x", rules("127.0.0.1:5000"))).toBe("stranger");
  await expect(checkRegistry("127.0.0.1:5001/x", rules("127.0.0.1:5000"))).rejects.toThrow(
    "Images cannot be pulled from 127.0.0.1:5001: address not allowed",
  );
});

test("Docker Hub is not looked up, because its registry has another host", async () => {
  expect(await checkRegistry("busybox", rules(""))).toBe("stranger");
});

test("a list of registries excludes all others, Docker Hub too, and trusts its own at any address", async () => {
  expect(await checkRegistry("10.0.0.1:5000/x", rules("", "10.0.0.1:5000"))).toBe("trusted");
  await expect(checkRegistry("busybox", rules("", "10.0.0.1:5000"))).rejects.toThrow(
    "This runner pulls no images from docker.io; DOCKER_REGISTRIES names its registries",
  );
});

test("a list with * trusts what it names and excludes nothing else", async () => {
  expect(await checkRegistry("busybox", rules("", "docker.io", "*"))).toBe("trusted");
  expect(await checkRegistry("8.8.8.8/x", rules("", "docker.io", "*"))).toBe("stranger");
  await expect(checkRegistry("10.0.0.1/x", rules("", "docker.io", "*"))).rejects.toThrow("address not allowed");
});
