import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Guest } from "./guest.js";
import { inspectionOf } from "./inspection.js";

test("disk rejects if the file cannot be opened", async () => {
  const folder = await mkdtemp(join(tmpdir(), "inspection-"));
  const unopenable = createServer().listen(join(folder, "machine.qcow2"));
  await once(unopenable, "listening");
  try {
    const guest = { folder } as Guest;
    const options = { name: "test", keepLimitMs: 0, path: "" };
    const inspection = inspectionOf(
      () => guest,
      (_signal, work) => work(guest),
      options,
    );
    await expect(inspection.disk(1, new AbortController().signal)).rejects.toMatchObject({ code: "ENXIO" });
  } finally {
    await once(unopenable.close(), "close");
    await rm(folder, { recursive: true });
  }
});
