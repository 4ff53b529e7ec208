import { inTurn } from "./in-turn.js";

test("tasks of a key run one at a time in order, also after one that fails, and do not wait for other keys", async () => {
  const run = inTurn<string>();
  const log: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const task = (name: string, wait?: Promise<void>) => async () => {
    log.push(`${name} begins`);
    await wait;
    log.push(`${name} ends`);
    if (name === "bad") throw new Error("bad");
    return name;
  };
  const all = [run("a", task("bad", gate)), run("a", task("next")), run("a", task("last")), run("b", task("other"))];
  expect(await all[3]).toBe("other");
  open();
  const results = await Promise.allSettled(all);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
  const ofA = ["bad ends", "next begins", "next ends", "last begins", "last ends"];
  expect(log).toEqual(["bad begins", "other begins", "other ends", ...ofA]);
  expect(await run("a", task("again"))).toBe("again");
});
