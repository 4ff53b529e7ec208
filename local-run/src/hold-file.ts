import { once } from "node:events";
import { readdir, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";

/** Listens until it is closed or the process ends; undefined if the address is taken. */
export async function listening(path: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ path });
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw error;
  }
  return server.unref();
}

/** Reports whether the process that made a socket lives. */
async function answers(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    return !["ECONNREFUSED", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "");
  } finally {
    socket.destroy();
  }
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

/**
 * Holds a name in a folder until the process ends; undefined if another process holds it. A socket file stays behind
 * when its process is killed, so each holder makes the file with the next number, and yields to any other that is newer
 * or still answers.
 */
export async function holdFile(folder: string, name: string): Promise<Server | undefined> {
  const pathOf = (nth: number) => join(folder, `${name}.${nth}`);
  async function numbers(): Promise<number[]> {
    const endings = (await readdir(folder)).filter((file) => file.startsWith(`${name}.`));
    return endings.map((file) => Number(file.slice(name.length + 1))).filter(Number.isSafeInteger);
  }
  const last = Math.max(0, ...(await numbers()));
  if (last > 0 && (await answers(pathOf(last)))) return undefined;
  const own = last + 1;
  const server = await listening(pathOf(own));
  if (!server) return undefined;
  const others = (await numbers()).filter((nth) => nth !== own);
  for (const other of others) {
    if (other < own && !(await answers(pathOf(other)))) continue;
    await closed(server);
    return undefined;
  }
  for (const other of others) await rm(pathOf(other), { force: true });
  return server;
}
