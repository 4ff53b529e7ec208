import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import Docker from "dockerode";
import { anAssignment, newId } from "./_assignment.js";
import { dockerLimits } from "./_docker.js";
import { bootRunner } from "./_suite.js";

const image = process.env.CI_TEST_IMAGE;

/** Serves the engine at a socket that can be closed with all its connections. */
function engineAt(path: string) {
  const sockets = new Set<Socket>();
  let server: Server;
  return {
    async open() {
      rmSync(path, { force: true });
      server = createServer((client) => {
        const engine = connect("/var/run/docker.sock");
        for (const [socket, peer] of [
          [client, engine],
          [engine, client],
        ] as const) {
          sockets.add(socket);
          socket.on("error", () => peer.destroy()).on("close", () => sockets.delete(socket) && peer.destroy());
        }
        client.pipe(engine).pipe(client);
      });
      await once(server.listen(path), "listening");
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (!image) test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  let dir: string;
  let engine: ReturnType<typeof engineAt>;
  const docker = { ...dockerLimits, host: "", cpus: 1, memoryBytes: 2 ** 28, pids: 64 };
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    docker.host = `unix://${dir}/engine.sock`;
    engine = engineAt(`${dir}/engine.sock`);
    await engine.open();
  });
  const booted = bootRunner({ drivers: ["docker"], docker });
  afterAll(async () => {
    await engine.close();
    await rm(dir, { recursive: true });
  });
  const containersLeft = () =>
    new Docker().listContainers({ all: true, filters: { label: [`ci.runner=${booted.config.name}`] } });
  const driver = { type: "docker", image, workspace: "/w", pullAlways: false, keepOnFailureMinutes: 0 } as const;

  test("the runner gives back a build whose engine stops once its container is removed, and is ready again", async () => {
    const build = booted.submit(anAssignment({ driver }, ["echo up; sleep 1000; :"]));
    await eventually(() => expect(build.text).toContain("\nup\n"));
    await engine.close();
    await eventually(() => expect(build.text).toMatch(/\nThis runner cannot go on: .+\n$/));
    expect(build.outcomes).toEqual(["passed"]);
    expect(await booted.ready()).toBe(false);
    await engine.open();
    await eventually(() => expect(build.returned).toBe(true));
    expect(await containersLeft()).toEqual([]);
    await eventually(async () => expect(await booted.ready()).toBe(true));
  });

  test("the runner gives back a build whose engine stops while objects are placed", async () => {
    const objects = [{ id: newId(), source: "big", name: "big", objectId: newId() }];
    booted.queue.objects.set(objects[0]!.objectId, "x".repeat(30_000));
    const build = booted.submit(anAssignment({ driver, objects }, ["true"]));
    await new Promise<void>((resolve) => booted.queue.onCall("readAssignedObject", resolve));
    await engine.close();
    await eventually(() => expect(build.text).toMatch(/This runner cannot go on: .+\n$/));
    await engine.open();
    await eventually(() => expect(build.returned).toBe(true));
    expect(build.outcomes).toEqual([]);
    expect(await containersLeft()).toEqual([]);
  });
}
