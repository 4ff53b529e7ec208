import { refusedCall, syscall } from "../tool/syscalls.mjs";

const blocked = /No route to host|Host is unreachable|Network unreachable|Network is unreachable/;
const refused = /Operation not permitted|Permission denied/;
/** Connects and prints the error, or the answer. @param {string} host @param {number} port */
export const connect = (host, port) => `nc -w 5 ${host} ${port} < /dev/null`;
const gateway = "$(ip route | awk '/^default/ { print $3; exit }')";

/** @param {string} id @param {string} tries @param {import("../probes.mjs").Script} script @returns {import("../probes.mjs").Attack} */
const attack = (id, tries, script) => ({ id, tries, script, sees: blocked, lift: false });
/** Something answers there: only the packet filter is in the way. @param {Parameters<typeof attack>} args */
const answered = (...args) => ({ ...attack(...args), lift: /** @type {const} */ ("egress") });

/** @type {import("../probes.mjs").Subject} */
export const network = {
  title: "The network",
  probes: [
    attack("metadata", "Asks the cloud's metadata service at 169.254.169.254", connect("169.254.169.254", 80)),
    answered("link-local", "Connects to a server at a link-local address", ({ linkLocal, port }) =>
      connect(linkLocal, port),
    ),
    answered("private-10", "Connects to a server at an address of 10.0.0.0/8", ({ privateAddress, port }) =>
      connect(privateAddress, port),
    ),
    attack("private-172", "Connects to an address of 172.16.0.0/12", connect("172.31.255.254", 80)),
    attack("private-192", "Connects to an address of 192.168.0.0/16", connect("192.168.255.254", 80)),
    attack("private-100", "Connects to an address of 100.64.0.0/10", connect("100.64.0.1", 80)),
    answered("host-address", "Connects to a server of the host at the host's address", ({ hostAddress, hostPort }) =>
      connect(hostAddress, hostPort),
    ),
    answered("host-gateway", "Connects to a server of the host at the gateway of the job's network", ({ hostPort }) =>
      connect(gateway, hostPort),
    ),
    attack("engine-tcp", "Connects to the engine's TCP port at the gateway", connect(gateway, 2375)),
    {
      ...attack("services", "Connects to the API's port on its own loopback interface", ({ apiPort }) =>
        connect("127.0.0.1", apiPort),
      ),
      sees: /Connection refused/,
    },
    {
      ...attack("add-address", "Gives itself another address", "ip addr add 10.1.2.3/8 dev eth0"),
      sees: refused,
      lift: "rights",
    },
    {
      ...attack("change-route", "Changes its routes", "ip route add 10.99.0.0/16 dev eth0"),
      sees: refused,
      lift: "rights",
    },
    {
      ...attack("raw-socket", "Sends forged packets through a raw socket", syscall("socket", 2, 3, 1)),
      sees: refusedCall,
      lift: "rights",
    },
    {
      ...attack("packet-socket", "Reads packets of its network through a packet socket", syscall("socket", 17, 3, 768)),
      sees: refusedCall,
      lift: "rights",
    },
  ],
};
