import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { fixedLimit } from "@ci/kit/process/fixed-limit";

const maxWaiting = fixedLimit({
  max: 32,
  about: "requests of a connection that wait for the response to an earlier one",
  effect: "the connection is closed",
});

/** Passes on the requests of a connection one after another, each in a turn of its own: thousands may arrive together. */
export function oneAfterAnother(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, (() => void)[]>();

  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? [];
    lines.set(socket, line);
    const begin = () => {
      // Node gives the connection to one response at a time. One that never gets it does not close either.
      if (!response.socket) return;
      response.once("close", () => setImmediate(() => line.shift()?.()));
      listener(request, response);
    };
    if (response.socket) return begin();
    if (line.push(begin) > maxWaiting) socket.destroy();
  };
}
