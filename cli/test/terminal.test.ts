// Calls the commands in this process, so that their output can be a terminal.
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { run as logs } from "../src/commands/logs.js";
import { run as submit } from "../src/commands/submit.js";
import { manifestOf } from "./_ci.js";
import { ioOf } from "./_io.js";

const ci = constellation({ runner: true });
let ann: SignedUp;
let number: number;
const manifest = manifestOf([
  `printf 'a\\033[31m\\303\\244\\033[0m\\033]52;c;eA==\\007b\\033[2J\\302\\2336nc\\033]0;t\\033\\134d\\n'`,
]);
const raw = "a\u001b[31mä\u001b[0m\u001b]52;c;eA==\u0007b\u001b[2J\u009b6nc\u001b]0;t\u001b\\d\n";
const safe = "a\u001b[31mä\u001b[0mbcd\n";

beforeAll(async () => {
  ann = await ci.signUp();
  ({ number } = created(await ann.post("/builds", { manifest })));
  await eventually(async () => expect((await ann.get(`/b/${ann.username}/${number}`)).json.finished_at).not.toBeNull());
});

const ioFor = (tty: boolean, input = "") =>
  ioOf({ tty, input, env: { CI_SERVER: `${ci.origin}/api`, CI_TOKEN: ann.token } });

test.each([
  [true, safe],
  [false, raw],
])("logs are safe on a terminal (%s) and unchanged elsewhere, followed or not", async (tty, expected) => {
  for (const follow of [true, false]) {
    const io = ioFor(tty);
    await logs(io, { build: String(number), follow });
    expect(io.stdout.text).toContain(expected);
  }
});

test("logs leave a terminal with its own colors, at the beginning of a line", async () => {
  const { number: hidden, url } = created(await ann.post("/builds", { manifest: manifestOf(["printf 'x\\033[8m'"]) }));
  await eventually(async () => expect((await ann.get(url)).json.finished_at).not.toBeNull());
  for (const follow of [true, false]) {
    const io = ioOf({ tty: true, env: { CI_SERVER: `${ci.origin}/api`, CI_TOKEN: ann.token, NO_COLOR: "1" } });
    await logs(io, { build: String(hidden), follow });
    expect(io.stdout.text.slice(-10)).toBe("x\u001b[8m\u001b[0m\n");
  }
});

test("the output of a submitted build is safe on a terminal", async () => {
  const io = ioFor(true, manifest);
  await submit(io, { manifest: "-", follow: true });
  expect(io.stdout.text).toContain(safe);
});

test("events of an output are safe on a terminal as JSON, too", async () => {
  const io = { ...ioFor(true), options: { json: true } };
  await logs(io, { build: String(number), follow: true });
  expect(io.stdout.text).toContain("\\u009b6nc");
  expect(io.stdout.text).not.toContain("\u009b");
});
