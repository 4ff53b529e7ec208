import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMonitor } from "./monitor.js";

/** Connects a monitor to what stands for QEMU. */
async function withMonitor(work: (qemu: Socket, monitor: ReturnType<typeof openMonitor>) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), "monitor-"));
  const server = createServer().listen(join(folder, "socket"));
  try {
    const socket = connect(join(folder, "socket"));
    const [qemu] = (await once(server, "connection")) as [Socket];
    await work(
      qemu.on("error", () => undefined),
      openMonitor(socket, () => undefined),
    );
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
}

test("a machine that is killed while it writes a line ends its monitor only", async () =>
  withMonitor(async (qemu, monitor) => {
    const asked = monitor.ask("stop");
    qemu.end('{"return": {}}\n{"timestamp": {"seconds": 1}, "event": "BLOCK_IO_ER');
    await expect(asked).rejects.toThrow("QEMU has ended");
    expect(monitor.isOpen()).toBe(true);
    await expect(monitor.ask("quit")).rejects.toThrow("QEMU has ended");
  }));
