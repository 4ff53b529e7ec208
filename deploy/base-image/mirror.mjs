// Finds the mirrors for Debian's packages.
import { run } from "../local/provision/machine.mjs";

const defaults = { Debian: "http://deb.debian.org/debian", "Debian-Security": "http://deb.debian.org/debian-security" };

/**
 * Returns the mirror that this machine's apt uses for a part of Debian, from the output of `apt-get indextargets`.
 * @param {string} targets lines of `label uri`
 * @param {keyof typeof defaults} label
 */
const mirrorOf = (targets, label) => {
  const configured = targets.split("\n").find((line) => line.startsWith(`${label} http`));
  return configured?.split(" ")[1]?.replace(/\/$/, "") ?? defaults[label];
};

/**
 * Returns the lines of a suite's sources.list, with this machine's Debian mirrors or else the default ones.
 * @param {string} suite
 */
export const sourcesOf = async (suite) => {
  const { stdout } = await run("apt-get", ["indextargets", "--format", "$(LABEL) $(REPO_URI)", "Origin: Debian"]);
  const [mirror, security] = [mirrorOf(stdout, "Debian"), mirrorOf(stdout, "Debian-Security")];
  return [
    `deb ${mirror} ${suite} main`,
    `deb ${mirror} ${suite}-updates main`,
    `deb ${security} ${suite}-security main`,
  ];
};
