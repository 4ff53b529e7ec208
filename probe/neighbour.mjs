// A build that stays beside the probes.
import { randomBytes } from "node:crypto";
import { follow, submit } from "./builds.mjs";
import { namespaceIds } from "./tool/namespaces.mjs";

/** Prints where the neighbour is: in a container its address and host name, in a process its folder and id. */
const whereabouts = {
  docker: `echo "address $(ip -4 addr show eth0 | awk '/inet / { sub("/.*", "", $2); print $2 }') $(hostname)"`,
  os: 'echo "address $PWD $$"',
};

/** Makes a server and files that others should not reach. @param {string} mark */
const belongings = (mark) => ({
  docker: [
    `echo secret | tee ${mark} > /dev/shm/${mark}`,
    namespaceIds,
    `(while :; do echo ${mark} | nc -l -p 8000; done) &`,
  ],
  os: [`echo secret > ${mark}; chmod 644 ${mark}`],
});

/**
 * Starts a build that stays, with a file and a process.
 * @param {import("./builds.mjs").Api} api
 * @param {object} driver
 * @param {"docker" | "os"} place
 */
export const startNeighbour = async (api, driver, place) => {
  const mark = `neighbour-${randomBytes(6).toString("hex")}`;
  // The traces of a background process would get between the other lines.
  const commands = ["set +x", ...belongings(mark)[place], whereabouts[place], `sh -c 'sleep 3600; :' ${mark}`];
  const build = await submit(api, { driver, stages: ["test"], jobs: [{ stage: "test", commands }] });
  /** @type {Promise<RegExpExecArray>} */
  const up = new Promise((resolve, reject) => {
    const onOutput = (/** @type {string} */ output) => {
      const found = /^address (\S+) (\S+)$/m.exec(output);
      if (found) resolve(Object.assign(found, { input: output }));
    };
    follow(api, build, { onOutput }).then(({ output }) => reject(new Error(`The neighbour ended:\n${output}`)), reject);
  });
  const { 1: address, 2: hostname, input } = await up;
  const own = [...input.matchAll(/^(?:pid|net|mnt|ipc|uts):\[\d+\]$/gm)].map(([name]) => name);
  return { mark, address, hostname, port: 8000, namespaces: own };
};
