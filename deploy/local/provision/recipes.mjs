// Makes images on a Debian machine if no registry answers. They have our own names, so they are never mistaken for a
// vendor's image. Increase a tag when the content of its image changes.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { findMongod, findNatsServer } from "./binaries.mjs";
import { lastLine, mayInstallPackages, onPath, run } from "./machine.mjs";

/**
 * `fill` puts the image's files into the empty folder `root`, and may use the folder `scratch`. `changes` are Dockerfile
 * instructions.
 * @typedef {{ tag: string, changes: string[], fill: (root: string, scratch: string) => Promise<void> }} Recipe
 */

/** The trusted certificates of Debian and its derivatives. */
const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** A shell and common small programs. @type {Recipe} */
export const busybox = {
  tag: "service-ci/busybox:1",
  changes: ["ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 'CMD ["/bin/sh"]'],
  fill: async (root, scratch) => {
    makeFolders(root, ["bin", "etc", "root"]);
    writeFileSync(
      join(root, "etc/passwd"),
      "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
    );
    writeFileSync(join(root, "etc/group"), "root:x:0:\nnogroup:x:65534:\n");
    const program = join(root, "bin/busybox");
    putProgram(await staticBusybox(scratch), program);
    const { stdout } = await run(program, ["--list-full"]);
    for (const applet of stdout.trim().split("\n")) {
      makeFolders(root, [dirname(applet)]);
      if (!existsSync(join(root, applet))) symlinkSync("/bin/busybox", join(root, applet));
    }
  },
};

/** mongod, started with the container's arguments as in the vendor's image. @type {Recipe} */
export const mongo = {
  tag: "service-ci/mongo:6",
  changes: ['ENTRYPOINT ["/bin/mongod"]', "EXPOSE 27017"],
  fill: async (root) => {
    makeFolders(root, ["data/db"]);
    await putWithLibraries(await findMongod(), root, "bin/mongod");
  },
};

/** nats-server, started with the container's arguments as in the vendor's image. @type {Recipe} */
export const nats = {
  tag: "service-ci/nats:2",
  changes: ['ENTRYPOINT ["/nats-server"]', "EXPOSE 4222"],
  fill: async (root) => {
    makeFolders(root, []);
    await putWithLibraries(await findNatsServer(), root, "nats-server");
  },
};

/**
 * The base of the services' images in tests: this machine's Node and npm, a shell, and this machine's trusted
 * certificates. Use a vendor's image for production.
 * @type {Recipe}
 */
export const node = {
  tag: `service-ci/node:${process.versions.node}`,
  changes: [
    "ENV PATH=/usr/local/bin:/usr/bin:/bin",
    `ENV NODE_EXTRA_CA_CERTS=${certificates} SSL_CERT_FILE=${certificates}`,
  ],
  fill: async (root, scratch) => {
    await busybox.fill(root, scratch);
    await putWithLibraries(process.execPath, root, "usr/bin/node");
    await putRestOfLibc(root);
    const npm = dirname(dirname(realpathSync(onPath("npm") ?? "npm")));
    cpSync(npm, join(root, "usr/lib/npm"), { recursive: true });
    for (const name of ["npm", "npx"]) symlinkSync(`../lib/npm/bin/${name}-cli.js`, join(root, "usr/bin", name));
    // glibc needs this file to look up host names.
    writeFileSync(join(root, "etc/nsswitch.conf"), "hosts: files dns\n");
    if (existsSync(certificates)) putFile(certificates, join(root, certificates));
  },
};

/**
 * Makes folders in an image, and /tmp.
 * @param {string} root
 * @param {string[]} paths
 */
export const makeFolders = (root, paths) => {
  for (const path of [...paths, "tmp"]) mkdirSync(join(root, path), { recursive: true });
  chmodSync(join(root, "tmp"), 0o1777);
};

/**
 * @param {string} from
 * @param {string} to
 */
export const putProgram = (from, to) => {
  putFile(from, to);
  chmodSync(to, 0o755);
};

/**
 * @param {string} from
 * @param {string} to
 */
const putFile = (from, to) => {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
};

/**
 * @param {string} program
 * @param {string} root
 * @param {string} path in the image
 */
export const putWithLibraries = async (program, root, path) => {
  putProgram(program, join(root, path));
  // The loader searches the same folders in the image as here, so a library keeps its path.
  for (const library of await librariesOf(program)) putProgram(library, join(root, library));
};

/** Adds the parts of glibc that Node does not need but a package manager may. @param {string} root */
const putRestOfLibc = async (root) => {
  const libc = (await librariesOf(process.execPath)).find((path) => basename(path).startsWith("libc.so"));
  if (!libc) return;
  for (const name of ["librt.so.1", "libresolv.so.2"]) {
    const path = join(dirname(libc), name);
    if (existsSync(path)) putFile(path, join(root, path));
  }
};

/**
 * Returns the shared libraries of a program, including its loader; none if it is static.
 * @param {string} program
 */
const librariesOf = async (program) => {
  const { stdout } = await run("ldd", [program]);
  return stdout.split("\n").flatMap((line) => /(?:=> |^\s+)(\/\S+) \(0x/.exec(line)?.[1] ?? []);
};

/**
 * Finds a busybox that needs no libraries: the installed one, or the one unpacked from Debian's package.
 * @param {string} scratch an empty folder
 */
export const staticBusybox = async (scratch) => {
  const installed = onPath("busybox");
  if (installed && (await librariesOf(installed)).length === 0) return installed;
  await unpackPackage("busybox-static", scratch);
  const program = ["bin/busybox", "usr/bin/busybox"].map((path) => join(scratch, path)).find(existsSync);
  if (!program) throw new Error("busybox-static contains no busybox");
  return program;
};

/**
 * Unpacks a Debian package into a folder without installing it.
 * @param {string} name
 * @param {string} folder
 * @throws {Error} if there is no such package
 */
export const unpackPackage = async (name, folder) => {
  const download = () => run("apt-get", ["download", "-q", name], { cwd: folder });
  let { code, stderr } = await download();
  if (code !== 0 && mayInstallPackages()) {
    // The package lists may be missing or outdated.
    await run("apt-get", ["update", "-q"]);
    ({ code, stderr } = await download());
  }
  if (code !== 0) throw new Error(`there is no package ${name}: ${lastLine(stderr)}`);
  const file = readdirSync(folder).find((entry) => entry.startsWith(`${name}_`) && entry.endsWith(".deb"));
  if (!file) throw new Error(`there is no package ${name}`);
  const unpacked = await run("dpkg-deb", ["-x", join(folder, file), folder]);
  if (unpacked.code !== 0) throw new Error(`${file} cannot be unpacked: ${lastLine(unpacked.stderr)}`);
};
