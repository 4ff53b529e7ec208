// Where Debian's packages come from.
import { run } from "../local/provision/machine.mjs";

const usual = { Debian: "http://deb.debian.org/debian", "Debian-Security": "http://deb.debian.org/debian-security" };

/**
 * The mirror that this machine's apt is told to use for a part of Debian, from what `apt-get indextargets` says.
 * @param {string} targets lines of `label uri`
 * @param {keyof typeof usual} label
 */
export const mirrorOf = (targets, label) => {
  const configured = targets.split("\n").find((line) => line.startsWith(`${label} http`));
  return configured?.split(" ")[1]?.replace(/\/$/, "") ?? usual[label];
};

/**
 * Lines of a sources.list for a suite: this machine's mirrors where it has some of Debian's, else the usual ones.
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
