import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { fixedLimit } from "../process/fixed-limit.js";
import { FetchFailed } from "./fetch-failed.js";

const maxHandshakeBytes = fixedLimit({
  max: 16 * 1024,
  unit: "bytes",
  about: "bytes that a server sends in a TLS handshake, mostly certificates",
  effect: "the attempt fails with `TLS handshake too long`",
});

interface LimitedHandshake {
  readonly stream: Duplex;
  /** Ends the limit. */
  secured(): void;
}

/** OpenSSL checks all certificates that a server sends, trusted or not: 90 KiB of costly ones stop this process for 0.5 s. */
export function limitedHandshake(socket: Socket): LimitedHandshake {
  let left = maxHandshakeBytes;
  const stream = new Duplex({
    allowHalfOpen: false,
    autoDestroy: false,
    read: () => void socket.resume(),
    write: (chunk, _encoding, done) => void socket.write(chunk, done),
    final(done) {
      socket.end();
      done();
    },
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket
    .on("data", (chunk) => {
      left -= chunk.length;
      if (left < 0) stream.destroy(new FetchFailed("TLS handshake too long"));
      else if (!stream.push(chunk)) socket.pause();
    })
    .on("end", () => stream.push(null))
    .on("error", (error) => stream.destroy(error))
    .on("close", () => {
      if (!socket.readableEnded) stream.destroy();
    });
  return {
    stream,
    secured() {
      left = Number.POSITIVE_INFINITY;
    },
  };
}
