import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import type { Agent } from "undici";
import { parseAllow } from "../src/net/guard.js";
import { type AgentOptions, guardedAgent } from "../src/net/guarded-agent.js";
import { guardedFetch } from "../src/net/guarded-fetch.js";

export const limits = { timeoutMs: 20_000, maxBodyBytes: 1_000 };
export const home = parseAllow("127.0.0.1");

const started: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) await one.close();
});

export const agentFor = (options: Partial<AgentOptions> = {}): Agent => {
  const agent = guardedAgent({ allow: home, ...options });
  started.push({ close: () => agent.destroy() });
  return agent;
};

export const listen = async <T extends Server>(server: T): Promise<T & { port: number; open: Set<Socket> }> => {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => open.add(socket.on("close", () => open.delete(socket))));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  started.push({
    close: () => {
      for (const socket of open) socket.destroy();
      return new Promise((done) => server.close(done));
    },
  });
  return Object.assign(server, { port: (server.address() as AddressInfo).port, open });
};

export const httpServer = async (answer: RequestListener) => {
  const server = await listen(createServer(answer));
  return { url: `http://127.0.0.1:${server.port}`, port: server.port, open: server.open };
};

/** guardedFetch with the body as text: jest compares a buffer within an object by its beginning only. */
export const fetchText = async (...of: Parameters<typeof guardedFetch>) => {
  const answer = await guardedFetch(...of);
  return { ...answer, body: answer.body.toString() };
};

export const reasonOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => "no failure",
    (error) => `${error.name}: ${error.message}`,
  );
