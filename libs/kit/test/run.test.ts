import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const runModule = join(__dirname, "../dist/process/run.js");

async function running(start: string): Promise<ChildProcess> {
  const script = `require(${JSON.stringify(runModule)}).run(${start});`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

async function exitAfter(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown[]> {
  const closed = once(child, "close");
  child.kill(signal);
  return closed;
}

const printed = (text: string) => `console.log(${JSON.stringify(text)})`;
const forever = "new Promise((resolve) => setInterval(resolve, 2 ** 30))";

test.each(["SIGTERM", "SIGINT"] as const)("%s ends a process that has not started yet", async (signal) => {
  const child = await running(`() => { ${printed("waiting")}; return ${forever}; }`);
  expect(await exitAfter(child, signal)).toEqual([0, null]);
});

test("a signal that comes while a process loads its service ends it as soon as that is loaded", async () => {
  const script = `const { run } = require(${JSON.stringify(runModule)}); const start = () => ${forever};
    process.kill(process.pid, "SIGTERM");
    run(start);`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "ignore", "inherit"] });
  expect(await once(child, "close")).toEqual([0, null]);
});

test("a process that has started drains and disposes before it ends", async () => {
  const service = `{ async drain() { ${printed("draining")}; }, async [Symbol.asyncDispose]() { ${printed("disposing")}; } }`;
  const child = await running(
    `async () => { setInterval(() => {}, 2 ** 30); setImmediate(() => ${printed("started")}); return ${service}; }`,
  );
  let output = "";
  child.stdout!.on("data", (chunk) => {
    output += chunk;
  });
  expect(await exitAfter(child, "SIGTERM")).toEqual([0, null]);
  expect(output).toBe("draining\ndisposing\n");
});
