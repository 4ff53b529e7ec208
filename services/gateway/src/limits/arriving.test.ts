import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { arriving } from "./arriving.js";

function bodies(maxBytes: number, maxBytesOfAddress: number) {
  const watchOf = arriving(maxBytes, maxBytesOfAddress);
  const left = new Map<string, () => void>();
  const stopped: string[] = [];
  return {
    stopped,
    begin(name: string, address = name) {
      const request = new EventEmitter();
      const end = watchOf(address)(request as IncomingMessage, (error) => {
        expect(error).toMatchObject({ status: 429, headers: { "Retry-After": "10" } });
        stopped.push(name);
        end();
      });
      left.set(name, end);
      return (bytes: number) => request.emit("data", Buffer.alloc(bytes));
    },
    end: (name: string) => left.get(name)!(),
  };
}

test("beyond the limit of all, the bodies that began first are stopped", () => {
  const { begin, stopped } = bodies(10_000, 10_000);
  const sends = ["a", "b", "c"].map((name) => begin(name));
  for (const send of sends) send(3_000);
  expect(stopped).toEqual([]);
  sends[2]!(1_000);
  expect(stopped).toEqual(["a"]);
  sends[2]!(5_000);
  expect(stopped).toEqual(["a", "b"]);
});

test("beyond the limit of an address, only its bodies are stopped", () => {
  const { begin, stopped } = bodies(10_000, 4_000);
  const [other, first, second] = [begin("other"), begin("first", "x"), begin("second", "x")];
  for (const send of [other, first, second]) send(2_000);
  expect(stopped).toEqual(["first"]);
});

test("bodies that have arrived, and a single large one, count no more", () => {
  const { begin, end, stopped } = bodies(10_000, 10_000);
  begin("a")(9_000);
  end("a");
  end("a");
  const send = begin("b");
  send(9_000);
  send(9_000);
  expect(stopped).toEqual([]);
});

test("bytes that arrive singly count as the memory that they take", () => {
  const { begin, stopped } = bodies(10_000, 10_000);
  const [slow, send] = [begin("slow"), begin("quick")];
  for (let n = 0; n < 70; n++) slow(1);
  send(1_500);
  expect(stopped).toEqual(["slow"]);
});
