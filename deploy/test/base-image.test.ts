import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { deployDir } from "./_compose.js";

const image = process.env.CI_BASE_IMAGE;
const dir = mkdtempSync(join(tmpdir(), "ci-base-image-"));
const images = join(dir, "images");
const workDir = join(dir, "out");
mkdirSync(workDir);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("npm run image", () => {
  const make = (args: readonly string[], env: Record<string, string> = {}) => {
    const script = join(deployDir, "base-image/make.mjs");
    return spawnSync(process.execPath, [script, ...args], {
      cwd: workDir,
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
  };

  it.each([
    ["an unknown name", ["debian-11"]],
    ["a property of every object", ["constructor"]],
    ["no name", []],
    ["an unknown option", ["debian-12", "--size"]],
    ["two destinations", ["debian-12", "here.qcow2", "--base"]],
  ])("rejects %s", (_what, args) => {
    const { status, stderr } = make(args);
    expect([status, stderr]).toEqual([1, expect.stringContaining("names are debian-12, debian-13")]);
    expect(readdirSync(workDir)).toEqual([]);
  });

  it.each([
    [{ CI_DATA: "/data" }, "/data/runner/.images"],
    [{ CI_DATA: "/data", RUNNER_DIR: "/srv/runner" }, "/srv/runner/.images"],
    [{ CI_DATA: "/data", RUNNER_DIR: "/srv/runner", RUNNER_IMAGES_DIR: "/images" }, "/images"],
  ])("makes a base image for the runner with %j", (env, folder) => {
    const { RUNNER_DIR, RUNNER_IMAGES_DIR, ...inherited } = process.env;
    const script = `import { baseFolder } from "${join(deployDir, "base-image/folder.mjs")}"; console.log(baseFolder())`;
    const args = ["--input-type=module", "-e", script];
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8", env: { ...inherited, ...env } });
    expect(stdout).toBe(`${folder}/_base/qemu/x86_64\n`);
  });

  it("names all missing programs and the command that installs them, and leaves no files", () => {
    const { status, stderr } = make(["debian-12"], { PATH: workDir });
    expect(status).toBe(1);
    for (const name of ["mmdebstrap", "mformat", "syslinux", "qemu-img"]) expect(stderr).toContain(name);
    expect(stderr).toMatch(/apt-get install -y .*mmdebstrap.*mtools.*qemu-utils/);
    expect(readdirSync(workDir)).toEqual([]);
  });
});

const checks = `
driver: {type: qemu, image: larger}
stages: [look]
jobs:
- stage: look
  commands:
  - git --version && curl --version | head -n 1 && test -s /etc/ssl/certs/ca-certificates.crt
  - ls /etc/ssh/ssh_host_*
  - test $(wc -c < /etc/machine-id) = 33
  - systemctl is-system-running --wait
  - echo "root has $(df --output=size -BG / | tail -n 1)"
  - . /etc/os-release && echo "this is $ID $VERSION_ID"
`;

if (!image) notRun("an image of Debian", "CI_BASE_IMAGE is not set");
else
  describe("the base image", () => {
    const ci = constellation({
      runner: true,
      settings: {
        ...{ RUNNER_DRIVERS: "qemu", QEMU_ACCEL: "tcg", QEMU_MEMORY: "512MiB", PATH: process.env.PATH ?? "" },
        ...{ RUNNER_IMAGES_DIR: images, RUNNER_BUILDS: "2" },
      },
    });
    let user: SignedUp;
    beforeAll(async () => {
      const base = join(images, "_base/qemu/x86_64");
      mkdirSync(base, { recursive: true });
      symlinkSync(image, join(base, "debian-12"));
      copyFileSync(image, join(base, "larger"));
      execFileSync("qemu-img", ["resize", "-q", join(base, "larger"), "24G"]);
      user = await ci.signUp();
    });

    const runBuild = async (manifest: string) => {
      const { json: build } = await user.post("/builds", { manifest });
      return eventually(
        async () => {
          const { json } = await user.get(build.url);
          if (json.finished_at === null) throw new Error(`The build is ${json.status}`);
          return json;
        },
        { withinMs: 600_000 },
      );
    };

    it("runs the example for virtual machines", async () => {
      const { status, output } = await runBuild(readFileSync(join(deployDir, "../examples/machine.yml"), "utf8"));
      expect([status, output]).toEqual(["passed", expect.stringContaining("\nroot on a separate machine\n")]);
      expect(output).toContain("Using base image debian-12\n");
    }, 700_000);

    it("has the programs that builds need, its own identity, and a root file system as large as its disk", async () => {
      const { status, output } = await runBuild(checks);
      expect([status, output]).toEqual(["passed", expect.stringContaining("\nthis is debian 12\n")]);
      expect(output).toContain("\n/etc/ssh/ssh_host_ed25519_key\n/etc/ssh/ssh_host_ed25519_key.pub\n");
      expect(output).toMatch(/root has +24G/);
    }, 700_000);
  });
