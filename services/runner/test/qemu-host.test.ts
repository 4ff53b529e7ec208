import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { machinesIn, nameFor } from "../src/drivers/qemu/leftovers.js";
import { commonArguments, type Machine, program, startMachine } from "../src/drivers/qemu/machine.js";
import { openMonitor } from "../src/drivers/qemu/monitor.js";
import { HostTrouble } from "../src/endings/errors.js";
import { disks } from "./_machines.js";

const path = process.env.PATH!;
const machineOf = (...args: string[]) => startMachine({ path, arguments: [...commonArguments("tcg"), ...args] });

test("a QEMU that cannot be started is the host's trouble", async () => {
  const { ended, trouble } = startMachine({ path: "/nonexistent", arguments: [] });
  await expect(ended).rejects.toThrow("ENOENT");
  expect(trouble.reason).toBeInstanceOf(HostTrouble);
});

test("a full disk of the host is the host's trouble; other errors of a disk are not", async () => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [peer] = (await once(server, "connection")) as [Socket];
  let full = 0;
  const monitor = openMonitor(socket, () => full++);
  const event = (nospace: boolean) =>
    peer.write(`${JSON.stringify({ event: "BLOCK_IO_ERROR", data: { action: "stop", nospace } })}\n`);
  event(false);
  event(true);
  peer.write('{"return": {}}\n');
  await eventually(() => expect(monitor.isOpen()).toBe(true));
  expect(full).toBe(1);
  socket.destroy();
  server.close();
});

test("a machine that stops because the host's disk is full is ended", async () => {
  const folder = await mkdtemp(join(tmpdir(), "qemu-host-"));
  const event = '{"event": "BLOCK_IO_ERROR", "data": {"action": "stop", "nospace": true}}';
  await writeFile(join(folder, program), `#!/bin/sh\necho '${event}' >&3\nexec /bin/sleep 100000\n`, { mode: 0o755 });
  const { ended, trouble } = startMachine({ path: folder, arguments: [] });
  expect(await ended).toBe(-1);
  expect(trouble.reason).toMatchObject({ message: "The disk of the runner is full" });
  await rm(folder, { recursive: true });
});

if (!disks) notRun("ends of machines", "no QEMU");
else {
  test("a host without enough memory is in trouble", async () => {
    const { ended, trouble } = machineOf("-m", "100000000M");
    expect(await ended).toBe(1);
    expect(trouble.reason).toBeInstanceOf(HostTrouble);
  });

  describe("the end of a running machine", () => {
    let root: string;
    let machine: Machine;
    beforeEach(async () => {
      root = `/test-${randomUUID()}`;
      machine = machineOf("-m", "64M", "-name", nameFor(`${root}/machine`));
      await eventually(() => expect(machine.monitor.isOpen()).toBe(true));
    });
    afterEach(() => machine.end());
    const kill = async (signal: NodeJS.Signals) => {
      const [found] = await machinesIn(root);
      process.kill(found!.pid, signal);
    };

    test("is the host's trouble if QEMU is killed", async () => {
      await kill("SIGKILL");
      expect(await machine.ended).toBe(-1);
      expect(machine.trouble.reason).toBeInstanceOf(HostTrouble);
    });

    test("is not the host's trouble if the guest crashes QEMU", async () => {
      await kill("SIGABRT");
      await machine.ended;
      expect(machine.trouble.aborted).toBe(false);
    });

    test("is not the host's trouble if QEMU quits", async () => {
      machine.monitor.ask("quit").catch(() => undefined);
      expect(await machine.ended).toBe(0);
      expect(machine.trouble.aborted).toBe(false);
    });

    test("is not the host's trouble if the runner causes it", async () => {
      await machine.end();
      expect(machine.trouble.aborted).toBe(false);
    });
  });
}
