import { PassThrough } from "node:stream";
import { openConsole } from "./console.js";

async function consoleOf(text: string): Promise<() => string[]> {
  const stream = new PassThrough();
  const lines = openConsole([stream]);
  stream.end(text);
  await new Promise((resolve) => stream.once("end", resolve));
  return lines;
}

test("a console's lines are plain text", async () => {
  const lines = await consoleOf("\x1b[1;32mboot\x1b[0m\r\r\n\r\n  up 10%\rup 100%\r\n");
  expect(lines()).toEqual(["boot", "  up 10%", "up 100%"]);
});

test("a console full of carriage returns is read in linear time", async () => {
  const lines = await consoleOf("\r".repeat(16 * 1024));
  const before = process.cpuUsage();
  for (let look = 0; look < 200; look++) expect(lines()).toEqual([]);
  // Quadratic work took minutes of processor time.
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
