import { readFileSync } from "node:fs";
import type { Settings } from "../process/config.js";
import { parseAllow } from "./guard.js";
import type { AgentOptions, Guard } from "./guarded-agent.js";
import { parseResolver } from "./resolver.js";

/** Settings of a guard that only looks names up. */
const guardRules = (s: Settings): Guard => ({
  allow: s.parsed(
    "CI_GUARD_ALLOW",
    "private addresses, CIDR ranges, host names and endpoints (`10.1.2.3:8080`) that services may connect to",
    "",
    parseAllow,
  ),
  resolver: s.parsed(
    "CI_DNS_SERVERS",
    "name servers (`9.9.9.9`, `10.1.2.3:5353`) that resolve outside host names, without `/etc/hosts` and `/etc/resolv.conf`; if empty, the system's",
    "",
    parseResolver,
  ),
});

export const guardConfig = (s: Settings): AgentOptions => ({
  ...guardRules(s),
  extraCa: s.parsed("CI_EXTRA_CA", "PEM file of certificates that services trust besides the system's", "", (path) =>
    path === "" ? undefined : readFileSync(path, "utf8"),
  ),
});
