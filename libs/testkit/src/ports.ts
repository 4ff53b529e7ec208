import { createServer } from "node:net";

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** Ports that were returned before but may not be in use yet. */
const reserved = new Set<number>();

/** Returns a port below the ephemeral range, so that no outgoing connection takes it first. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (reserved.has(port) || !(await isFree(port))) continue;
    reserved.add(port);
    return port;
  }
}
