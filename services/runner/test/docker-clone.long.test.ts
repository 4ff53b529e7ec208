import { cloneTests, guard } from "./_clone.js";
import { dockerLimits } from "./_docker.js";
import { bootRunner } from "./_suite.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const docker = { host: "unix:///var/run/docker.sock", ...dockerLimits, guard };
  const booted = bootRunner({ drivers: ["docker"], docker, cloneBytes: 1024 ** 2 });
  cloneTests(booted, { type: "docker", image, workspace: "/build", pullAlways: false, keepOnFailureMinutes: 0 });
}
