import { chmodSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloneTests, guard } from "./_clone.js";
import { dockerLimits } from "./_docker.js";
import { bootRunner, osUids } from "./_suite.js";

/** A folder with a few programs, but no git. */
const path = mkdtempSync(join(tmpdir(), "no-git-"));
// The users of jobs have to enter it.
chmodSync(path, 0o755);
for (const program of ["mkdir", "tar", "rm", "cat", "test", "ls"]) symlinkSync(`/bin/${program}`, join(path, program));
afterAll(() => rmSync(path, { recursive: true }));

const booted = bootRunner({
  os: { path, uids: osUids },
  docker: { host: "unix:///var/run/docker.sock", ...dockerLimits, guard },
  cloneBytes: 1024 ** 2,
});
cloneTests(booted, { type: "os", image: "", workspace: "", pullAlways: false, keepOnFailureMinutes: 0 });
