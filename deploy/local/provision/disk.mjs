// Makes small qcow2 disks for tests of the qemu driver, from Debian's packages, and keeps them in the cache.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { guestInit, guestModules, guestOptions, guestPasswd } from "./guest.mjs";
import {
  cacheDir,
  installPackages,
  lastLine,
  mayInstallPackages,
  onPath,
  repoRoot,
  run,
  withLock,
} from "./machine.mjs";
import { makeFolders, putProgram, putWithLibraries, staticBusybox, unpackPackage } from "./recipes.mjs";

/** The programs that the qemu driver and this file need, with Debian's packages of them. */
const tools = /** @type {const} */ ({
  "qemu-system-x86_64": "qemu-system-x86",
  "qemu-img": "qemu-utils",
  syslinux: "syslinux",
  mformat: "mtools",
  dropbear: "dropbear-bin",
});
const sftpServer = "/usr/lib/openssh/sftp-server";
const kernelPackage = "linux-image-cloud-amd64";

/** Two disks with the same content. The second one ignores keys and lets every user in. */
const variants = { "keyed.qcow2": "", "open.qcow2": "ci.open" };

/** Increase the number when the content of the disks changes. */
const folder = join(cacheDir, "test-disks-3");

/**
 * Returns the folder with the disks `keyed.qcow2` and `open.qcow2`, made now or earlier. CI_TEST_DISKS takes precedence.
 * @returns {Promise<{ folder: string } | { reason: string }>}
 */
export const testDisks = async () => {
  if (process.env.CI_TEST_DISKS) return { folder: process.env.CI_TEST_DISKS };
  const missing = missingPackages();
  if (existsSync(folder) && !missing.some((name) => name.startsWith("qemu-"))) return { folder };
  if (process.platform !== "linux" || process.arch !== "x64") return { reason: "this is not x86-64 Linux" };
  if (missing.length > 0 && !mayInstallPackages())
    return { reason: `${missing.join(", ")} not installed, and only root on Debian may install packages` };
  return withLock("test-disks", async () => {
    const refusal = missing.length > 0 ? await installPackages(missing) : undefined;
    if (refusal) return { reason: refusal };
    try {
      if (!existsSync(folder)) await make();
      return { folder };
    } catch (error) {
      return { reason: /** @type {Error} */ (error).message };
    }
  });
};

const missingPackages = () => [
  ...Object.entries(tools)
    .filter(([program]) => !onPath(program))
    .map(([, name]) => name),
  ...(existsSync(sftpServer) ? [] : ["openssh-sftp-server"]),
];

const make = async () => {
  console.log("Making disks for virtual machines ...");
  const dir = mkdtempSync(join(tmpdir(), "service-ci-"));
  try {
    const made = join(dir, "made");
    mkdirSync(made);
    const kernel = await unpackKernel(join(dir, "kernel"));
    const initramfs = await makeInitramfs(dir, kernel.modules);
    for (const [name, option] of Object.entries(variants))
      await makeDisk({ kernel: kernel.image, initramfs, option, raw: join(dir, "raw"), to: join(made, name) });
    // A rename on the same file system is atomic, so an incomplete folder is never mistaken for a complete one.
    const beside = `${folder}.new`;
    rmSync(beside, { recursive: true, force: true });
    mkdirSync(beside, { recursive: true });
    for (const name of readdirSync(made)) copyFileSync(join(made, name), join(beside, name));
    renameSync(beside, folder);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

/**
 * Unpacks Debian's kernel for virtual machines without installing it.
 * @param {string} to
 */
const unpackKernel = async (to) => {
  mkdirSync(to);
  if (mayInstallPackages()) await run("apt-get", ["update", "-q"]);
  const { stdout } = await run("apt-cache", ["depends", kernelPackage]);
  const name = /Depends: (linux-image-\S+)/.exec(stdout)?.[1];
  if (!name) throw new Error(`there is no package ${kernelPackage}: the disks are made of Debian's packages`);
  await unpackPackage(name, to);
  const version = name.slice("linux-image-".length);
  return { image: join(to, "boot", `vmlinuz-${version}`), modules: join(to, "lib/modules", version) };
};

/**
 * @param {string} dir
 * @param {string} modules the kernel's modules
 */
const makeInitramfs = async (dir, modules) => {
  const [root, scratch, archive] = [join(dir, "root"), join(dir, "scratch"), join(dir, "initramfs")];
  for (const path of [root, scratch]) mkdirSync(path);
  makeFolders(root, ["bin", "dev", "etc/dropbear", "modules", "proc", "root", "seed", "sys", "usr/lib", "var"]);
  const busybox = join(root, "bin/busybox");
  putProgram(await staticBusybox(scratch), busybox);
  await must(busybox, ["--install", "-s", join(root, "bin")]);
  await must("sh", [
    "-c",
    `for link in "$1"/*; do [ -L "$link" ] && ln -sf /bin/busybox "$link"; done`,
    "sh",
    join(root, "bin"),
  ]);
  await putWithLibraries(onPath("dropbear") ?? "", root, "bin/dropbear");
  await putWithLibraries(sftpServer, root, "usr/lib/sftp-server");
  await must("dropbearkey", ["-t", "ed25519", "-f", join(root, "etc/dropbear/dropbear_ed25519_host_key")]);
  for (const [index, name] of guestModules.entries())
    await putModule(modules, name, join(root, "modules", `${String(index).padStart(2, "0")}.ko`));
  writeFileSync(join(root, "etc/passwd"), guestPasswd);
  writeFileSync(join(root, "etc/group"), "root:x:0:\n");
  writeFileSync(join(root, "init"), guestInit, { mode: 0o755 });
  await must("sh", ["-c", `cd "$1" && find . | "$2" cpio -o -H newc | gzip > "$3"`, "sh", root, busybox, archive]);
  return archive;
};

/**
 * Modules built into the kernel do not exist as files.
 * @param {string} modules
 * @param {string} name
 * @param {string} to
 */
const putModule = async (modules, name, to) => {
  const { stdout } = await must("find", [modules, "-name", `${name}.ko*`]);
  const file = stdout.trim();
  if (file.endsWith(".ko")) copyFileSync(file, to);
  else if (file.endsWith(".ko.xz")) await must("sh", ["-c", `xz -dc "$1" > "$2"`, "sh", file, to]);
  else if (file !== "") throw new Error(`${file} has an unknown compression`);
};

/**
 * Makes a disk with a bootable FAT file system.
 * @param {{ kernel: string, initramfs: string, option: string, raw: string, to: string }} of
 */
const makeDisk = async ({ kernel, initramfs, option, raw, to }) => {
  const config = join(dirname(raw), "syslinux.cfg");
  writeFileSync(
    config,
    `DEFAULT ci\nLABEL ci\n KERNEL vmlinuz\n INITRD initramfs\n APPEND ${guestOptions} ${option}\n`,
  );
  rmSync(raw, { force: true });
  await must("mformat", ["-C", "-i", raw, "-T", "65536", "-h", "64", "-s", "32", "-v", "CI", "::"]);
  await must("syslinux", ["--install", raw]);
  await must("mcopy", ["-i", raw, kernel, "::vmlinuz"]);
  await must("mcopy", ["-i", raw, initramfs, "::initramfs"]);
  await must("mcopy", ["-i", raw, config, "::syslinux.cfg"]);
  await must("qemu-img", ["convert", "-f", "raw", "-O", "qcow2", raw, to]);
};

/**
 * @param {string} command
 * @param {string[]} args
 */
const must = async (command, args) => {
  const done = await run(command, args, { cwd: repoRoot });
  if (done.code !== 0) throw new Error(`${command} failed: ${lastLine(done.stderr) || `exit code ${done.code}`}`);
  return done;
};
