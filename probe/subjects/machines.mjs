import { connect } from "./network.mjs";

const blocked = /No route to host|Host is unreachable|Connection refused|Network is unreachable|timed out/;
const lost = /The connection to the virtual machine was lost/;
/** @param {string} id @param {string} tries @param {import("../probes.mjs").Script} script @returns {import("../probes.mjs").Attack} */
const attack = (id, tries, script) => ({ id, tries, script, sees: blocked, on: ["vm"], lift: "egress" });
/** @param {string} id @param {string} tries @param {string[]} commands @param {RegExp} sees @returns {import("../probes.mjs").Ending} */
const ending = (id, tries, commands, sees) => ({ id, tries, ending: "failed", commands, sees, on: ["vm"] });

/** @type {import("../probes.mjs").Subject} */
export const machines = {
  title: "Virtual machines",
  probes: [
    attack("vm-host", "Connects to a server on the host's loopback interface", ({ hostPort }) =>
      connect("10.0.2.2", hostPort),
    ),
    attack("vm-services", "Connects to the API's port on the host", ({ apiPort }) => connect("10.0.2.2", apiPort)),
    attack("vm-host-address", "Connects to a server of the host at the host's address", ({ hostAddress, hostPort }) =>
      connect(hostAddress, hostPort),
    ),
    attack("vm-private", "Connects to a server at a private address", ({ privateAddress, port }) =>
      connect(privateAddress, port),
    ),
    attack("vm-link-local", "Connects to a server at a link-local address", ({ linkLocal, port }) =>
      connect(linkLocal, port),
    ),
    {
      ...attack("vm-metadata", "Asks the cloud's metadata service at 169.254.169.254", connect("169.254.169.254", 80)),
      lift: false,
    },
    {
      ...attack("vm-neighbour", "Connects to a server in a running build of the docker driver", ({ neighbour }) =>
        connect(neighbour.address, neighbour.port),
      ),
    },
    {
      ...attack(
        "vm-files",
        "Finds a folder shared by the host",
        "ls /sys/bus/virtio/drivers/9pnet_virtio/virtio* /sys/bus/virtio/drivers/virtiofs/virtio* 2> /dev/null | grep . || nothing",
      ),
      sees: /nothing found/,
      lift: false,
    },
    {
      ...attack(
        "vm-shm",
        "Finds memory shared by the host",
        "grep -l 0x1110 /sys/bus/pci/devices/*/device 2> /dev/null | grep . || nothing",
      ),
      sees: /nothing found/,
      lift: false,
    },
    {
      ...attack(
        "vm-tftp",
        "Reads files of the host through QEMU's file servers",
        "nc -w 5 10.0.2.4 445 < /dev/null || nc -w 5 10.0.2.4 139 < /dev/null",
      ),
      lift: false,
    },
    {
      ...attack(
        "vm-disk",
        "Writes behind the end of its disk",
        "dd if=/dev/zero of=/dev/vda bs=1M seek=100000 count=1",
      ),
      sees: /No space left on device|Invalid argument/,
      lift: false,
    },
    ending(
      "vm-image",
      "Overwrites the image that other builds boot from",
      ["dd if=/dev/zero of=/dev/vda bs=1M count=8 conv=fsync", "exit 3"],
      /exit code 3/,
    ),
    ending("vm-panic", "Crashes the kernel", ["echo c > /proc/sysrq-trigger"], lost),
    ending("vm-poweroff", "Powers the machine off", ["poweroff -f", "sleep 60"], lost),
    ending("vm-ssh", "Kills the server that the runner talks to", ["killall -9 dropbear", "sleep 60"], lost),
    ending(
      "vm-memory",
      "Uses all memory",
      ["tail /dev/zero"],
      /Killed: out of memory \(limit 256 MiB\); raise QEMU_MEMORY or use less/,
    ),
    {
      ...ending(
        "vm-output",
        "Prints lines without end",
        ["yes | head -c 4000000"],
        /-- output truncated after \d+ bytes --/,
      ),
      ending: "passed",
      shown: "-- output truncated --",
    },
  ],
};
