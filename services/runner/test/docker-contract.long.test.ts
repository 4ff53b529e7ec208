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
  let dir: string;
  let subject: Subject;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    subject = await dockerSubject(new Docker(), { image, name: `test-${randomUUID()}`, dir });
  });
  afterAll(() => rm(dir, { recursive: true }));

  driverContract(async () => subject);
}
