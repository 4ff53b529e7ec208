import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Docker from "dockerode";
import { dockerSubject } from "./_docker.js";
import type { Subject } from "./_subject.js";
import { driverContract } from "./driver-contract.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  describe.each([
    ["containers of their own", 0],
    ["containers that waited", 1],
  ])("in %s", (_what, max) => {
    let dir: string;
    let subject: Subject;

    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), "runner-test-"));
      const spares = { max, keepMs: 600_000 };
      subject = await dockerSubject(new Docker(), { image, name: `test-${randomUUID()}`, dir, spares });
    });
    afterAll(async () => {
      await subject.driver.close?.();
      await rm(dir, { recursive: true });
    });

    driverContract(async () => subject);
  });
}
