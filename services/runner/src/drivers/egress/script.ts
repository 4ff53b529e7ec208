import { isIPv6 } from "node:net";
import { type Range, rangeText, refused } from "@ci/kit/net/guard";

/** Sends the packets of a hook that match to the rule set's chain. */
export interface Jump {
  readonly hook: "FORWARD" | "INPUT" | "OUTPUT";
  readonly match: string;
}

export interface RuleSet {
  readonly chain: string;
  readonly jumps: readonly Jump[];
  /** Ranges that jobs may reach although they are private. */
  readonly allow: readonly Range[];
}

const maxNameServers = 8;

interface Family {
  readonly program: "iptables" | "ip6tables";
  /** Shell pattern of the family's addresses. */
  readonly addresses: string;
  /** Ends the connection attempt at once. A dropped packet would let the job wait for its timeout. */
  readonly reject: string;
  /** The rules after those of the allow-list. `$refuse` is the target of packets that may not pass. */
  readonly rules: readonly string[];
}

const local = "-m addrtype --dst-type LOCAL -j $refuse";

const v4: Family = {
  program: "iptables",
  addresses: "*.*.*.*",
  reject: "REJECT --reject-with icmp-admin-prohibited",
  rules: [local, ...refused.closedV4.map((range) => `-d ${range} -j $refuse`)],
};

/** Neighbours are found by messages to the host. Without them a container has no IPv6 at all. */
const neighbourTypes = [133, 135, 136];

const v6: Family = {
  program: "ip6tables",
  addresses: "*:*",
  reject: "REJECT --reject-with icmp6-adm-prohibited",
  rules: [
    ...neighbourTypes.map((type) => `-p icmpv6 --icmpv6-type ${type} -j RETURN`),
    local,
    ...refused.closedV6.map((range) => `-d ${range} -j $refuse`),
    ...refused.openV6.map((range) => `-d ${range} -j RETURN`),
    "-j $refuse",
  ],
};

const jumpsOf = (jumps: readonly Jump[]): string =>
  jumps.map(({ hook, match }) => `jump ${hook === "FORWARD" ? '"$forward"' : hook} ${match}`).join("\n  ");

/** Rules of one family. A chain is replaced in one step: no packet passes between two sets. */
function familyScript(set: RuleSet, { program, addresses, reject, rules }: Family): string {
  const allowed = set.allow
    .map(rangeText)
    .filter((range) => isIPv6(range.split("/")[0]!) === (program === "ip6tables"));
  const forwards = set.jumps.filter(({ hook }) => hook === "FORWARD");
  return `
  tool=${program}
  fill() {
    table=$1
    refuse=$2
    {
      echo "*$table"
      echo ':${set.chain} - [0:0]'
      # Packets between containers of one network, which never leave its bridge.
      if [ "$(cat /proc/sys/net/bridge/bridge-nf-call-$tool 2>/dev/null)" = 1 ]; then add -m physdev --physdev-is-bridged -j RETURN; fi
      add -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN
${allowed.map((range) => `      add -d ${range} -j RETURN\n`).join("")}      for server in $servers; do
        case $server in ${addresses})
          add -d $server -p udp --dport 53 -j RETURN
          add -d $server -p tcp --dport 53 -j RETURN ;;
        esac
      done
${rules.map((rule) => `      add ${rule}\n`).join("")}      echo COMMIT
    } | $tool-restore --noflush --wait 5
  }
  fill filter '${reject}'
  forward=FORWARD
  if $tool -w 5 -n -L DOCKER-USER >/dev/null 2>&1; then forward=DOCKER-USER; fi
  ${jumpsOf(set.jumps)}${forwards.length ? secondWall(forwards) : ""}`;
}

/**
 * Drops forwarded packets that the rules above should have rejected: the engine takes DOCKER-USER out of FORWARD
 * for a moment whenever it makes a network. It leaves the table `security` alone, which comes after `filter`.
 * A kernel without that table drops them in `mangle`, before they can be rejected.
 */
const secondWall = (forwards: readonly Jump[]): string => `
  wall=security
  if ! $tool -w 5 -t $wall -n -L >/dev/null 2>&1; then wall=mangle; fi
  fill $wall DROP
  forward=FORWARD
  ${jumpsOf(forwards)}`;

const prelude = ({ chain }: RuleSet): string => `set -eu
PATH="$PATH:/usr/sbin:/sbin"
add() { echo "-A ${chain} $*"; }
jump() {
  hook=$1
  shift
  $tool -w 5 -t $table -C $hook "$@" -j ${chain} 2>/dev/null || $tool -w 5 -t $table -I $hook "$@" -j ${chain}
}`;

/**
 * Returns a shell script that sets the rules in the network namespace where it runs. It may run any number of times.
 * The host's name servers stay reachable, because containers send them the queries that the engine cannot answer.
 */
export const applyScript = (set: RuleSet): string => `${prelude(set)}
servers=$(cat /etc/resolv.conf /run/systemd/resolve/resolv.conf 2>/dev/null |
  sed -n 's/^nameserver[[:space:]]*\\([0-9a-fA-F.:]*\\)[[:space:]]*$/\\1/p' | sort -u | head -n ${maxNameServers})
${familyScript(set, v4)}
if [ -n "$(cat /proc/net/if_inet6 2>/dev/null)" ]; then${familyScript(set, v6)}
fi
`;

/** Returns a shell script that removes the rules. */
export const removeScript = ({ chain, jumps }: RuleSet): string => `PATH="$PATH:/usr/sbin:/sbin"
for tool in iptables ip6tables; do
  for table in filter security mangle; do
    for hook in DOCKER-USER ${[...new Set(jumps.map(({ hook }) => hook))].join(" ")}; do
${jumps.map(({ match }) => `      while $tool -w 5 -t $table -D $hook ${match} -j ${chain} 2>/dev/null; do :; done\n`).join("")}    done
    $tool -w 5 -t $table -F ${chain} 2>/dev/null
    $tool -w 5 -t $table -X ${chain} 2>/dev/null
  done
done
true
`;
