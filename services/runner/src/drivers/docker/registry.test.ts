import { parseAllow } from "@ci/kit/net/guard";
import { checkRegistry, registryOf } from "./registry.js";

test.each([
  ["busybox:1.37", "docker.io"],
  ["library/busybox", "docker.io"],
  ["index.docker.io/library/busybox", "docker.io"],
  ["docker.io/busybox", "docker.io"],
  ["ghcr.io/owner/tool:1", "ghcr.io"],
  ["registry.corp.example:5000/tool", "registry.corp.example:5000"],
  ["localhost/tool", "localhost"],
  ["HOST/tool", "host"],
  ["127.0.0.1:5000/a/b@sha256:0", "127.0.0.1:5000"],
])("the registry of %s is %s", (image, registry) => {
  expect(registryOf(image)).toBe(registry);
});

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
  await expect(checkRegistry(image, rules(""))).rejects.toMatchObject({ name: "Fault", code: /precondition|invalid/ });
});

test("an allow-list opens a registry at one port", async () => {
  await checkRegistry("127.0.0.1:5000/x", rules("127.0.0.1:5000"));
  await expect(checkRegistry("127.0.0.1:5001/x", rules("127.0.0.1:5000"))).rejects.toThrow(
    "Images cannot be pulled from 127.0.0.1:5001: address not allowed",
  );
});

test("Docker Hub is not looked up, because engines may have mirrors of it", () => checkRegistry("busybox", rules("")));

test("a list of registries excludes all others, Docker Hub too, and needs no other permission", async () => {
  await checkRegistry("10.0.0.1:5000/x", rules("", "10.0.0.1:5000"));
  await expect(checkRegistry("busybox", rules("", "10.0.0.1:5000"))).rejects.toThrow(
    "This runner pulls no images from docker.io; DOCKER_REGISTRIES names its registries",
  );
});
