import { setTimeout as delay } from "node:timers/promises";
import { osSubject } from "./_os.js";
import { inside, ran } from "./_subject.js";

test("placing a file fails if its source breaks off, at whatever point the shell is", async () => {
  async function* brokenAfter(ms: number) {
    yield Buffer.from("half");
    await delay(ms);
    throw new Error("the source broke");
  }
  await inside(await osSubject(undefined), ["ls -A"], async ({ environment, order }) => {
    const put = (ms: number) =>
      environment.put({ path: "file", mode: 0o600, content: brokenAfter(ms) }, new AbortController().signal);
    // The signal meets the shell at a different place each time.
    for (let nth = 0; nth < 500; nth += 10)
      await Promise.all(
        Array.from({ length: 10 }, () => expect(put(Math.random() * 8)).rejects.toThrow("the source broke")),
      );
    expect((await ran(environment, order.jobs[0]!)).text).toBe("");
  });
});
