// `npm run probe -- --control`: runs attacks where their wall is missing. Each one has to succeed there: otherwise its failure
// would prove nothing.
import { readFileSync } from "node:fs";
import { run } from "../deploy/local/provision/machine.mjs";
import { follow, submit } from "./builds.mjs";
import { jobsOf, judgeAttack, scriptOf } from "./judge.mjs";
import { subjects } from "./probes.mjs";
import { startWorld, workspace } from "./world.mjs";

/**
 * @typedef {import("./probes.mjs").Attack} Attack
 * @typedef {import("./world.mjs").World} World
 */

/** The names of the capabilities by their bits, as far as all engines know them. */
const capabilities = `chown dac_override dac_read_search fowner fsetid kill setgid setuid setpcap linux_immutable
  net_bind_service net_broadcast net_admin net_raw ipc_lock ipc_owner sys_module sys_rawio sys_chroot sys_ptrace sys_pacct
  sys_admin sys_boot sys_nice sys_resource sys_time sys_tty_config mknod lease audit_write audit_control setfcap mac_override
  mac_admin syslog wake_alarm block_suspend audit_read`
  .trim()
  .split(/\s+/);

/** The capabilities that this process can give away: no container gets others. */
const own = () => {
  const [, bits] = /CapEff:\s*(\w+)/.exec(readFileSync("/proc/self/status", "utf8")) ?? ["", "0"];
  return capabilities.filter((_name, bit) => (BigInt(`0x${bits}`) >> BigInt(bit)) & 1n);
};

/**
 * Runs a script in a container that has no wall. It has a network and a host name of its own, because attacks change them.
 * @param {World} world
 * @param {string} script
 * @param {boolean} onHostNetwork
 */
const withoutWalls = async ({ image }, script, onHostNetwork) => {
  const rights = own().flatMap((name) => ["--cap-add", name]);
  const open = ["seccomp=unconfined", "apparmor=unconfined", "systempaths=unconfined"];
  const host = ["--pid=host", "--ipc=host", "-v", "/dev:/dev", "-v", "/:/host:ro"];
  const network = onHostNetwork ? ["--network=host"] : [];
  const socket = ["-v", "/var/run/docker.sock:/var/run/docker.sock", "-v", "/sys:/sys", "-v", "/tmp:/tmp"];
  const options = [...rights, ...open.flatMap((name) => ["--security-opt", name]), ...host, ...network, ...socket];
  const args = ["run", "--rm", ...options, "-w", workspace, image, "sh", "-c", script];
  const { code, stdout, stderr } = await run("docker", args, { timeoutMs: 60_000 });
  return code === 0 ? undefined : `${stdout}${stderr}`.trim();
};

/** Runs an attack in a build of a runner without a packet filter. @param {World} world @param {Attack} attack */
const withoutFilter = async (world, attack) => {
  const [place] = attack.on ?? ["docker"];
  const jobs = jobsOf(attack, world);
  const manifest = { driver: world.drivers[place], stages: ["test"], jobs };
  const verdict = judgeAttack(attack, (await follow(world.api, await submit(world.api, manifest))).output);
  if ("complaint" in verdict) return /^it succeeded/.test(verdict.complaint) ? undefined : verdict.complaint;
  return verdict.seen;
};

/**
 * Returns 1 if an attack fails although its wall is missing.
 * @param {string[] | undefined} only
 */
export const control = async (only) => {
  const all = subjects.flatMap(({ probes }) => probes.flatMap((probe) => ("script" in probe ? [probe] : [])));
  const wanted = all.filter(({ id, on = ["docker"] }) => (!only || only.includes(id)) && on.includes("docker"));
  const lifted = wanted.filter(({ lift = "rights" }) => lift);
  const world = await startWorld(["docker"], "open");
  let failed = 0;
  for (const attack of lifted) {
    const failure = await (attack.lift === "egress"
      ? withoutFilter(world, attack)
      : withoutWalls(world, scriptOf(attack, world), attack.lift === "network"));
    if (failure !== undefined) {
      failed++;
      console.error(`FAILED ${attack.id}: without its wall it does not succeed: ${failure}`);
    }
  }
  console.log(`${lifted.length} attacks without walls, ${failed} of them failed`);
  console.log(
    `Without a control: ${wanted
      .filter(({ lift }) => lift === false)
      .map(({ id }) => id)
      .join(", ")}`,
  );
  return failed > 0 ? 1 : 0;
};
