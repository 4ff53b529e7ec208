import { anyOf, namespaceIds } from "../tool/namespaces.mjs";
import { connect } from "./network.mjs";

const nothing = /nothing found/;

/** @type {import("../probes.mjs").Subject} */
export const neighbours = {
  title: "Other builds",
  probes: [
    {
      id: "neighbour-network",
      tries: "Connects to a server in another running build",
      script: ({ neighbour }) => connect(neighbour.address, neighbour.port),
      sees: /No route to host|Host is unreachable/,
      lift: false,
    },
    {
      id: "neighbour-name",
      tries: "Finds another build by its host name",
      script: ({ neighbour }) => `nslookup ${neighbour.hostname} || nothing`,
      sees: nothing,
      lift: false,
    },
    {
      id: "neighbour-processes",
      tries: "Sees the processes of another build",
      script: ({ neighbour }) =>
        `grep -l ${neighbour.mark.replace("-", "[-]")} /proc/[0-9]*/cmdline 2> /dev/null | grep . || nothing`,
      sees: nothing,
    },
    {
      id: "neighbour-files",
      tries: "Finds files of another build",
      script: ({ neighbour }) =>
        `find / -name "*${neighbour.mark.replace("-", "[-]")}" 2> /dev/null | grep . || nothing`,
      sees: nothing,
      lift: false,
    },
    {
      id: "neighbour-namespaces",
      tries: "Shares a process, network, mount, IPC or host name namespace with another build",
      script: ({ neighbour }) => `{ ${namespaceIds}; } | grep -E "${anyOf(neighbour.namespaces)}" || nothing`,
      sees: nothing,
      lift: false,
    },
    {
      id: "earlier-workspace",
      tries: "Finds files of an earlier build in its workspace",
      script: "ls -A | grep -v '^[.]ssh$' || nothing",
      sees: nothing,
      on: ["docker", "vm", "os"],
      lift: false,
    },
    {
      id: "kill-all",
      tries: "Kills all processes that it can",
      ending: "passed",
      commands: ["kill -9 -1 || true", "echo only my own"],
      sees: /only my own/,
    },
  ],
};
