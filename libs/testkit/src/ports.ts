import { createSocket, type Socket } from "node:dgram";
import { createServer } from "node:net";

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** Holds the UDP port of this number, so that other processes that look for a port choose another one. */
const reserve = (port: number) =>
  new Promise<Socket | undefined>((resolve) => {
    const socket = createSocket("udp4").unref();
    socket.once("error", () => socket.close(() => resolve(undefined)));
    socket.bind(port, "127.0.0.1", () => resolve(socket));
  });

/** Returns a port below the ephemeral range, so that no outgoing connection takes it first. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const socket = await reserve(port);
    if (socket && (await isFree(port))) return port;
    socket?.close();
  }
}
