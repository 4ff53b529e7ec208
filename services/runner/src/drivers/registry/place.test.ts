import { placeOf, registryOf } from "./place.js";

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

const digest = `sha256:${"0".repeat(64)}`;

test.each([
  ["busybox:1.37", "https://registry-1.docker.io", "library/busybox", "1.37", "docker.io/library/busybox"],
  ["docker.io/busybox:1", "https://registry-1.docker.io", "library/busybox", "1", "docker.io/library/busybox"],
  ["index.docker.io/a/b:1", "https://registry-1.docker.io", "a/b", "1", "docker.io/a/b"],
  [`a/b@${digest}`, "https://registry-1.docker.io", "a/b", digest, "docker.io/a/b"],
  ["ghcr.io/owner/tool:1", "https://ghcr.io", "owner/tool", "1", "ghcr.io/owner/tool"],
  ["evil.example:443/library/a:1", "https://evil.example:443", "library/a", "1", "evil.example:443/library/a"],
  [`r.example:5000/a/b:1@${digest}`, "https://r.example:5000", "a/b", digest, "r.example:5000/a/b"],
  ["127.0.0.1:5000/a:1", "http://127.0.0.1:5000", "a", "1", "127.0.0.1:5000/a"],
  ["localhost/a:1", "http://localhost", "a", "1", "localhost/a"],
  ["127.0.0.1.example.org/a:1", "https://127.0.0.1.example.org", "a", "1", "127.0.0.1.example.org/a"],
])("%s lies at %s in %s", (image, origin, repository, reference, stored) => {
  expect(placeOf(image)).toEqual({ origin, repository, reference, stored });
});
