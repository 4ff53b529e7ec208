import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type Resolver, serversResolver } from "@ci/kit/net/resolver";

/** By name, the IPv4 addresses that each successive query returns. The last ones stay. Queries can also get no answer. */
export type Zone = Readonly<Record<string, readonly (readonly string[])[] | "silent" | "refused">>;

/** A name server on 127.0.0.1, a resolver that uses it, and the queried names in order. */
export type DnsServer = AsyncDisposable & {
  readonly address: string;
  readonly resolver: Resolver;
  readonly queries: readonly string[];
};

export const dnsServer = async (zone: Zone): Promise<DnsServer> => {
  const queries: string[] = [];
  const unanswered: (() => void)[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, peer) => {
    const { name, type, end } = question(query);
    const round = type === 1 ? queries.push(name) && queries.filter((earlier) => earlier === name).length - 1 : 0;
    const rounds = zone[name];
    const known = typeof rounds === "object";
    const addresses = known && type === 1 ? (rounds[Math.min(round, rounds.length - 1)] ?? []) : [];
    const code = rounds === undefined ? 3 : known ? 0 : 5;
    const send = () => socket.send(answer(query.subarray(0, end), addresses, code), peer.port, peer.address);
    if (rounds === "silent") unanswered.push(send);
    else send();
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const address = `127.0.0.1:${socket.address().port}`;
  return {
    address,
    resolver: serversResolver({ servers: [address], firstMs: 600_000, forMs: 600_000 }),
    queries,
    async [Symbol.asyncDispose]() {
      // Answers what is pending, so that no lookup outlives this server.
      for (const send of unanswered) send();
      await new Promise((done) => setImmediate(done));
      socket.close();
      await once(socket, "close");
    },
  };
};

// A query has a header of 12 bytes, the name as labels that begin with their length, the type and the class.
const question = (query: Buffer) => {
  const labels: string[] = [];
  let at = 12;
  for (; query[at] !== 0; at += query[at]! + 1) labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!));
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
};

const answer = (query: Buffer, addresses: readonly string[], code: number) => {
  const header = Buffer.from(query.subarray(0, 12));
  // This is a response with recursion available. Code 3 means that the name does not exist, 5 that it is refused.
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  // Each record has a reference to the question's name, type A, class IN, no caching, and four bytes.
  const records = addresses.map((ip) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ip.split(".").map(Number)]),
  );
  return Buffer.concat([header, query.subarray(12), ...records]);
};
