import { Fault } from "@ci/kit/rpc/fault";
import { resumed } from "./resume.js";

const { signal } = new AbortController();
const patience = { forMs: 120_000, pauseStepMs: 1 };
const away = () => new Fault("unavailable", "Service unavailable");

/** Returns a stream that breaks `breaks` times after its first `sent` messages, and how often it was opened. */
function breaking({ breaks, sent, fault = away() }: { breaks: number; sent: number; fault?: Fault }) {
  const opened: (number | undefined)[] = [];
  async function* open(last: number | undefined) {
    opened.push(last);
    const from = last ?? 0;
    if (from < sent) for (let nth = from + 1; nth <= sent; nth++) yield nth;
    if (opened.length <= breaks) throw fault;
    yield sent + 1;
  }
  return { open, opened };
}

async function read(messages: AsyncIterable<number>): Promise<number[]> {
  const got: number[] = [];
  for await (const message of messages) got.push(message);
  return got;
}

test("a stream that has begun goes on after its last message, however often it breaks in two minutes", async () => {
  const { open, opened } = breaking({ breaks: 30, sent: 2 });
  expect(await read(resumed(open, signal, undefined, patience))).toEqual([1, 2, 3]);
  expect(opened).toEqual([undefined, ...Array(30).fill(2)]);
});

test("a stream that does not begin is given up after nine attempts", async () => {
  const { open, opened } = breaking({ breaks: 30, sent: 0 });
  await expect(read(resumed(open, signal, undefined, patience))).rejects.toThrow("Service unavailable");
  expect(opened).toHaveLength(9);
});

test("a stream that breaks within a message ends, as one does that its caller may no longer read", async () => {
  const within = breaking({ breaks: 1, sent: 2 });
  await expect(read(resumed(within.open, signal, (last) => last !== 2, patience))).rejects.toThrow(
    "Service unavailable",
  );
  const gone = breaking({ breaks: 1, sent: 2, fault: new Fault("not_found", "Not found") });
  await expect(read(resumed(gone.open, signal, undefined, patience))).rejects.toThrow("Not found");
  expect([within.opened, gone.opened]).toEqual([[undefined], [undefined]]);
});

test("a stream is given up once it was broken for too long after its last message, not in all", async () => {
  const got: number[] = [];
  let opened = 0;
  async function* open(last = 0) {
    opened++;
    if (last < 10) yield last + 1;
    if (opened < 40) throw away();
  }
  const reading = async () => {
    for await (const message of resumed(open, signal, undefined, { forMs: 50, pauseStepMs: 10 })) got.push(message);
  };
  await expect(reading()).rejects.toThrow("Service unavailable");
  expect(got).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
