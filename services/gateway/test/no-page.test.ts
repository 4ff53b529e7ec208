import { tmpdir } from "node:os";
import { constellation } from "@ci/testkit/constellation";

const ci = constellation({ settings: { WEB_DIR: tmpdir() } });

test("without a built page, browsers get JSON", async () => {
  const accept = { accept: "text/html,*/*;q=0.8" };
  const ann = await ci.signUp();
  expect((await ann.get("/user", accept)).json).toMatchObject({ username: ann.username });
  expect((await ann.get("/nothing", accept)).json).toEqual({ message: "Not Found" });
});
