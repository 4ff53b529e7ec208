import { type Pace, paceOf } from "./pace.js";

const complaint = "server too slow: less than 60 KiB in 60 s";
const KiB = 1024;

/** Returns a server's stream that is read through a pace: `next` waits for the bytes of `send`. */
function aServer(pace: Pace) {
  let arrive: (bytes: Uint8Array) => void;
  async function* sent() {
    for (;;) {
      yield await new Promise<Uint8Array>((resolve) => {
        arrive = resolve;
      });
    }
  }
  const read = pace.through(sent());
  return {
    next: () => read.next(),
    end: () => read.return(undefined),
    /** Sends bytes after this time of waiting. Returns the complaint when they arrive. */
    async send(sizeBytes: number, afterMs: number) {
      const piece = read.next();
      const complaint = pace.passed(afterMs);
      arrive(Buffer.alloc(sizeBytes));
      await piece;
      return complaint;
    },
  };
}

test("a server that sends 60 KiB a minute is fast enough, in whatever pieces", async () => {
  const server = aServer(paceOf(60_000));
  for (let minute = 0; minute < 10; minute++) {
    expect(await server.send(59 * KiB, 59_998)).toBeUndefined();
    expect(await server.send(1 * KiB, 1)).toBeUndefined();
  }
});

test("a server that sends nothing for a minute is too slow, and so is one that sends little", async () => {
  const pace = paceOf(60_000);
  const silent = aServer(pace);
  await silent.send(10 * 1024 * KiB, 59_999);
  void silent.next();
  expect([pace.passed(59_999), pace.passed(1)]).toEqual([undefined, complaint]);
  const trickling = aServer(paceOf(60_000));
  const complaints = [];
  for (let second = 0; second < 61; second++) complaints.push(await trickling.send(KiB - 100, 1_000));
  expect(complaints.findIndex((one) => one !== undefined)).toBe(59);
});

test("a server that does not respond for a minute is too slow", async () => {
  const pace = paceOf(60_000);
  for (const response of [Promise.resolve(), Promise.reject(new Error("refused"))]) {
    const responded = pace.until(response).catch(() => {});
    expect(pace.passed(59_999)).toBeUndefined();
    await responded;
    expect(pace.passed(600_000)).toBeUndefined();
  }
  void pace.until(new Promise(() => {}));
  expect([pace.passed(59_999), pace.passed(1)]).toEqual([undefined, complaint]);
});

test("the time in which the service stores what came, or has all of it, does not count", async () => {
  const pace = paceOf(60_000);
  const server = aServer(pace);
  await server.send(1, 1_000);
  expect(pace.passed(600_000)).toBeUndefined();
  await server.send(1, 1_000);
  await server.end();
  expect(pace.passed(600_000)).toBeUndefined();
});
