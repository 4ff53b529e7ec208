import { serveAdmin } from "@ci/kit/process/admin";
import { drainer } from "@ci/kit/process/drain";

it("a draining process is not ready for calls, but ci_ready tells only whether it can work", async () => {
  let works = true;
  const { check, drain } = drainer(0);
  await using admin = await serveAdmin("127.0.0.1:0", check, async () => {
    if (!works) throw new Error("MongoDB is away");
  });
  const get = (path: string) => fetch(`http://127.0.0.1:${admin.port}${path}`);
  const seen = async () => [
    (await get("/readyz")).status,
    /^ci_ready (.*)$/m.exec(await (await get("/metrics")).text())?.[1],
  ];
  expect(await seen()).toEqual([200, "1"]);
  works = false;
  expect(await seen()).toEqual([503, "0"]);
  works = true;
  await drain(AbortSignal.abort());
  expect(await seen()).toEqual([503, "1"]);
});
