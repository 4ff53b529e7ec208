import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readManifest } from "@ci/manifest/manifest";
import { planJobs } from "../services/builds/src/domain/plan.js";

const limits = { maxBytes: 1024 * 1024, acceptedDrivers: ["docker", "qemu"], maxStages: 100, maxJobs: 500 };
const files = readdirSync(__dirname).filter((file) => file.endsWith(".yml"));
const textOf = (file: string) => readFileSync(join(__dirname, file), "utf8");

test("the README lists every example", () => {
  const listed = [...textOf("README.md").matchAll(/\]\((.+?\.yml)\)/g)].map(([, file]) => file);
  expect(files.length).toBeGreaterThan(0);
  expect(listed.sort()).toEqual(files.sort());
});

describe.each(files)("%s", (file) => {
  const text = textOf(file);

  test("is a valid manifest whose jobs all have commands", () => {
    const reading = readManifest(text, limits);
    if (!("manifest" in reading)) throw new Error(JSON.stringify(reading.complaints));
    const jobs = planJobs(reading.manifest, 1).filter((job) => job.commands.length > 0);
    expect(jobs).toHaveLength(reading.manifest.jobs.length);
    expect(jobs.length).toBeGreaterThan(0);
  });

  test("begins with a comment that says what it shows, and has a replaceable driver", () => {
    expect(text).toMatch(/^# Shows .+\.\ndriver:\n(?: {2}\w+: .+\n)+\n/);
  });
});
