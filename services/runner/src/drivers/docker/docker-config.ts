import type { Settings } from "@ci/kit/process/config";
import { parseCapabilities } from "./capabilities.js";

export interface DockerConfig {
  host: string;
  certPath?: string;
  cpus: number;
  memoryBytes: number;
  /** Of the volume and the container's root together. */
  diskBytes: number;
  pids: number;
  capabilities: readonly string[];
}

function cpuCount(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0) throw new Error(`must be a number above 0, not "${text}"`);
  return Number(text);
}

function engineHost(text: string): string {
  const known =
    /^(?:(?:tcp|https?):\/\/)?[^/]+\/?$/.test(text) && URL.canParse(text.replace(/^(?:\w+:\/\/)?/, "http://"));
  if (!known && !text.startsWith("unix:///"))
    throw new Error(`must be unix:///path, tcp://host:port or https://host:port, not "${text}"`);
  return text;
}

export const dockerConfig = (s: Settings): DockerConfig => ({
  host: s.parsed(
    "DOCKER_HOST",
    "the engine: `unix:///path`, `tcp://host:port` or `https://host:port`",
    "unix:///var/run/docker.sock",
    engineHost,
  ),
  certPath: s.bool("DOCKER_TLS_VERIFY", "whether the engine asks for certificates", false)
    ? s.str("DOCKER_CERT_PATH", "folder with ca.pem, cert.pem and key.pem; required with `DOCKER_TLS_VERIFY`")
    : undefined,
  cpus: s.parsed("DOCKER_CPUS", "processors of one container", "2", cpuCount),
  memoryBytes: s.size("DOCKER_MEMORY", "memory of one container", "2GiB", { min: "6MiB" }),
  diskBytes: s.size("DOCKER_DISK", "what one build may write: its volume and the root of its container", "10GiB", {
    min: "1MiB",
  }),
  pids: s.int("DOCKER_PIDS", "processes in one container", 1_024, { min: "1" }),
  capabilities: s.parsed("DOCKER_CAPABILITIES", "capabilities to add to a container", "", parseCapabilities),
});
