import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import type { Agent } from "undici";
import { parseAllow } from "../src/net/guard.js";
import { type AgentOptions, guardedAgent } from "../src/net/guarded-agent.js";
import { guardedFetch } from "../src/net/guarded-fetch.js";

export const limits = { timeoutMs: 600_000, maxBodyBytes: 1_000 };
export const home = parseAllow("127.0.0.1");

const closeables: { close(): unknown }[] = [];
afterEach(async () => {
  for (const closeable of closeables.splice(0)) await closeable.close();
});

export const agentFor = (options: Partial<AgentOptions> = {}): Agent => {
  const agent = guardedAgent({ allow: home, ...options });
  closeables.push({ close: () => agent.destroy() });
  return agent;
};

export const listen = async <T extends Server>(server: T): Promise<T & { port: number; open: Set<Socket> }> => {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => open.add(socket.on("close", () => open.delete(socket))));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeables.push({
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((done) => server.close(done));
    },
  });
  return Object.assign(server, { port: (server.address() as AddressInfo).port, open });
};

export const httpServer = async (listener: RequestListener) => {
  const server = await listen(createServer(listener));
  return { url: `http://127.0.0.1:${server.port}`, port: server.port, open: server.open };
};

/** Calls guardedFetch and returns the body as text, because jest compares only the beginning of a buffer. */
export const fetchText = async (...args: Parameters<typeof guardedFetch>) => {
  const response = await guardedFetch(...args);
  return { ...response, body: response.body.toString() };
};

export const reasonOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => "no failure",
    (error) => `${error.name}: ${error.message}`,
  );
