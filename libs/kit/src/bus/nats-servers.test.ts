import { natsServers } from "./nats-servers.js";

it.each([
  ["nats://127.0.0.1:4222", { servers: ["127.0.0.1:4222"] }],
  ["127.0.0.1:4222", { servers: ["127.0.0.1:4222"] }],
  ["nats://[::1]:4222", { servers: ["[::1]:4222"] }],
  ["nats://one:1, two:2", { servers: ["one:1", "two:2"] }],
  ["tls://ci:pass@one:1,two:2", { servers: ["one:1", "two:2"], user: "ci", pass: "pass", tls: {} }],
  ["nats://one:1,tls://two:2", { servers: ["one:1", "two:2"], tls: {} }],
  ["tls://ci:p@one:1/?tlsCAFile=/a/b.crt", { servers: ["one:1"], user: "ci", pass: "p", tls: { caFile: "/a/b.crt" } }],
  ["nats://ci:p%40ss@one:1,two:2", { servers: ["one:1", "two:2"], user: "ci", pass: "p@ss" }],
])("natsServers parses %s", (text, parsed) => {
  expect(natsServers(text)).toEqual(parsed);
});

it("refuses an authority without the scheme that asks for TLS", () => {
  expect(() => natsServers("nats://one:1?tlsCAFile=/a/b.crt")).toThrow("tlsCAFile needs the scheme tls://");
});
