import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type Docker from "dockerode";
import { runHere } from "../../egress/here.js";
import type { Place } from "../../egress/keeper.js";
import { isRoot } from "../../user.js";
import { engineCall, ignoreNotFound, inBody } from "../engine.js";
import { type FilterImageOptions, filterImage } from "../images/filter-image.js";
import { removeContainer } from "../remove.js";
import { bridgeName, networkOf } from "./network.js";

interface EnginePlaceOptions extends FilterImageOptions {
  /** Whether the engine may run on this machine. */
  readonly local: boolean;
  readonly path: string;
  /** An image with iptables and a shell; empty for none. */
  readonly image: string;
  /** What is younger may be in use, by a runner of another installation with this name. */
  readonly oldMs?: number;
}

const timeoutMs = 60_000;
const probePrefix = "ci-probe-";

/** Removes what a killed runner of this name left behind: each network takes one of the engine's few address ranges. */
async function removeOld({ engine, runner, oldMs = 2 * timeoutMs }: EnginePlaceOptions): Promise<void> {
  const isOld = (createdAt: number) => Date.now() - createdAt >= oldMs;
  const filters = { label: [`ci.runner=${runner}`] };
  const networks = await engineCall(engine.listNetworks({ filters: { ...filters, name: [probePrefix] } }));
  for (const { Id, Created } of networks)
    if (isOld(Date.parse(Created))) await ignoreNotFound(engine.getNetwork(Id).remove());
  const containers = await engineCall(engine.listContainers({ all: true, filters }));
  const others = containers.filter(({ Labels: labels }) => labels["ci.build"] === undefined);
  for (const { Id, Created } of others) if (isOld(Created * 1_000)) await removeContainer(engine.getContainer(Id));
}

/** Reports whether the engine makes its bridges in the runner's own network namespace. */
async function sharesNetwork(engine: Docker, runner: string): Promise<boolean> {
  const random = randomBytes(4).toString("hex");
  const bridge = bridgeName(runner, random);
  const labels = { "ci.runner": runner };
  const probe = await engineCall(
    engine.createNetwork(inBody(networkOf({ name: `${probePrefix}${random}`, bridge, labels }))),
  );
  try {
    return existsSync(`/sys/class/net/${bridge}`);
  } finally {
    await ignoreNotFound(probe.remove());
  }
}

/** Runs a script in a container that shares the network of the engine's host. It has no other right. */
async function runInContainer(options: EnginePlaceOptions, script: string): Promise<void> {
  const { engine, image, runner } = options;
  const found = await filterImage(options);
  const container = await engineCall(
    engine.createContainer(
      inBody({
        Image: found,
        Entrypoint: ["/bin/sh", "-c"],
        Cmd: [script],
        User: "0:0",
        Labels: { "ci.runner": runner },
        HostConfig: {
          NetworkMode: "host",
          UsernsMode: "host",
          CapDrop: ["ALL"],
          CapAdd: ["NET_ADMIN", "NET_RAW"],
          SecurityOpt: ["no-new-privileges"],
          ReadonlyRootfs: true,
          Tmpfs: { "/run": "" },
          Memory: 128 * 1024 ** 2,
          PidsLimit: 64,
          LogConfig: { Type: "json-file", Config: { "max-size": "64k" } },
        },
      }),
    ),
  );
  try {
    await engineCall(container.start());
    const { StatusCode: code } = (await engineCall(
      container.wait({ abortSignal: AbortSignal.timeout(timeoutMs) }),
    )) as { StatusCode: number };
    if (code === 0) return;
    const said = await engineCall(container.logs({ stdout: true, stderr: true, tail: 5 }));
    throw new Error(`iptables failed in a container of ${image}: ${said.toString().trim()}`);
  } finally {
    await removeContainer(container);
  }
}

/** The network namespace of the engine's host: this one if the runner is root there, else through a container. */
export function enginePlace(options: EnginePlaceOptions): Place {
  const { engine, local, runner, path, image } = options;
  return {
    async run(script) {
      // If this fails, the sweep removes it after a day.
      await removeOld(options).catch(() => undefined);
      const here = local && isRoot() && (await sharesNetwork(engine, runner));
      if (here) {
        if (image === "") return runHere(script, path);
        return runHere(script, path).catch(() => runInContainer(options, script));
      }
      if (image === "") throw new Error("The runner is not root on the engine's host, and JOB_EGRESS_IMAGE is not set");
      return runInContainer(options, script);
    },
    renewEveryMs: 5 * 60_000,
  };
}
