import { anyOf, namespaceIds } from "../tool/namespaces.mjs";

const nothing = /nothing found/;
/** A pattern that does not find itself among the processes. @param {string} text */
const hidden = (text) => `[${text[0]}]${text.slice(1)}`;
const settings = ["MONGO_URL", "NATS_URL", "SECRET_KEYS", "SERVICE_KEY", "CI_ADMIN_TOKEN", "BUILDS_ADDR", "RUNNER_DIR"];

/** @param {string} id @param {string} tries @param {import("../probes.mjs").Script} script @returns {import("../probes.mjs").Attack} */
const search = (id, tries, script) => ({ id, tries, script, sees: nothing });

/** @type {import("../probes.mjs").Subject} */
export const host = {
  title: "The host and the runner",
  probes: [
    {
      ...search(
        "settings",
        "Finds settings or secrets of the runner in its environment",
        `env | grep -E "^(${settings.join("|")})" || nothing`,
      ),
      lift: false,
      on: ["docker", "vm", "os"],
    },
    {
      ...search(
        "settings-of-others",
        "Finds settings or secrets of the runner in other processes",
        `grep -lE "^(${settings.join("|")})=|.(${settings.join("|")})=" /proc/[0-9]*/environ 2> /dev/null | grep . || nothing`,
      ),
      on: ["docker", "os"],
    },
    {
      ...search(
        "runner-process",
        "Sees the runner or another service among the processes",
        `grep -lE "${hidden("services")}/(runner|builds|gateway)" /proc/[0-9]*/cmdline 2> /dev/null | grep . || nothing`,
      ),
      on: ["docker", "vm"],
    },
    search(
      "engine-process",
      "Sees the container engine among the processes",
      `grep -lE "${hidden("docker")}d|${hidden("containerd")}" /proc/[0-9]*/cmdline 2> /dev/null | grep . || nothing`,
    ),
    search(
      "engine-socket",
      "Finds the socket of a container engine",
      "find / -xdev \\( -name docker.sock -o -name containerd.sock -o -name podman.sock \\) 2> /dev/null | grep . || nothing",
    ),
    {
      ...search("abstract-sockets", "Finds abstract sockets of the host", "grep @ /proc/net/unix || nothing"),
      lift: /** @type {const} */ ("network"),
    },
    {
      ...search(
        "host-files",
        "Reads a file of the runner's host",
        ({ secretFile }) => `cat ${secretFile} 2> /dev/null || cat /proc/1/root${secretFile} 2> /dev/null || nothing`,
      ),
      on: ["docker", "vm", "os"],
    },
    search(
      "host-namespaces",
      "Shares a process, network, mount, IPC or host name namespace with the host",
      ({ namespaces }) => `{ ${namespaceIds}; } | grep -E "${anyOf(namespaces)}" || nothing`,
    ),
    search(
      "host-parent",
      "Sees processes outside its container",
      "[ $(ls -d /proc/[0-9]* | wc -l) -gt 20 ] || nothing",
    ),
  ],
};
