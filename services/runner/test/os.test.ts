import { Fault } from "@ci/kit/rpc/fault";
import { notRun } from "@ci/testkit/not-run";
import { isRoot } from "../src/drivers/user.js";
import { osSubject } from "./_os.js";
import { inside, ran } from "./_subject.js";
import { osUids } from "./_suite.js";
import { driverContract } from "./driver-contract.js";

describe("as the runner's own user", () => {
  driverContract(() => osSubject(undefined));

  test("what a job leaves beside its working directory is removed too", async () =>
    inside(
      await osSubject(undefined, "beside"),
      // The runner notes the group while the job already runs.
      [
        "mkdir -p ../mine/deep; echo > ../mine/deep/file; echo > ../script.mine; until [ -e ../groups ]; do :; done; ls ..",
      ],
      async ({ environment, order }) => {
        const { text } = await ran(environment, order.jobs[0]!);
        expect(text).toBe("groups\nmine\nscript\nscript.mine\nwork\n");
      },
    ));

  test.each(['rm -r "$PWD"', 'rm -r "$PWD"; echo > "$PWD"', 'rm -r "$PWD"; ln -s "$PWD" "$PWD"'])(
    "the next job fails after %s",
    async (script) =>
      inside(await osSubject(undefined, "gone"), [script, "echo never"], async ({ environment, order: { jobs } }) => {
        await ran(environment, jobs[0]!);
        const error = await ran(environment, jobs[1]!).catch((error) => error);
        expect(error).toBeInstanceOf(Fault);
        expect(error.message).toMatch(/^The working directory is gone or cannot be entered: /);
      }),
  );
});

if (isRoot()) describe("as users of their own", () => driverContract(() => osSubject(osUids)));
else notRun("os jobs as users of their own", "the tests do not run as root");
