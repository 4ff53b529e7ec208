import type { RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { fixedLimit } from "@ci/kit/process/fixed-limit";

const maxWaiting = fixedLimit({
  max: 100,
  about: "requests of a connection that wait for the response to an earlier one",
  effect: "the connection is closed",
});

interface Waiting {
  readonly response: ServerResponse;
  readonly begin: () => void;
}

/** Passes on the requests of a connection one after another, each in a turn of its own: thousands may arrive together. */
export function oneAfterAnother(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Waiting[]>();

  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? [];
    lines.set(socket, line);
    const beginNext = () => {
      // Node gives the connection to one response at a time. One that never gets it does not close either.
      if (line[0]?.response.socket?.writable) line.shift()!.begin();
    };
    const begin = () => {
      response.once("close", () => setImmediate(beginNext));
      listener(request, response);
    };
    if (response.socket) return begin();
    if (line.push({ response, begin }) > maxWaiting) socket.destroy();
  };
}
