import { buildCollecting } from "./_collecting.js";
import { bootRunner } from "./_suite.js";

const { run } = bootRunner();

test("the runner collects at most a thousand matches of a glob", async () => {
  const commands = ["i=1000; while [ $i -lt 2050 ]; do : > $i; i=$((i+1)); done"];
  const { artifacts } = await run(buildCollecting(commands, ["*"]));
  expect(artifacts.map(({ header }) => header.source)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => String(1_000 + index)),
  );
});
