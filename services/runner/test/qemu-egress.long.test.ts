import { execFileSync } from "node:child_process";
import { notRun } from "@ci/testkit/not-run";
import type { EgressConfig } from "../src/drivers/egress/egress-config.js";
import { isRoot } from "../src/drivers/user.js";
import { openEgress } from "./_docker.js";
import { disks, openMachines } from "./_machines.js";
import { canFilter, type Outside, startOutside } from "./_outside.js";
import { inside, ran } from "./_subject.js";

// An emulated machine needs seconds to boot, and many on a busy host.
jest.setTimeout(900_000);

if (!disks || !isRoot() || !canFilter()) notRun("egress of virtual machines", "it needs disks, root and iptables");
else {
  const enforced: EgressConfig = { mode: "enforce", allow: [], image: "" };
  let outside: Outside;
  beforeAll(async () => {
    outside = await startOutside();
  });
  afterAll(() => outside[Symbol.asyncDispose]());

  /** Returns what a machine gets from the public, the private and the link-local address, and from this host. */
  async function answers(egress: EgressConfig): Promise<string[]> {
    await using machines = await openMachines({ egress, outbound: true, firstUid: 60_950 });
    expect(await machines.driver.ready()).toBe(true);
    const targets = [
      [outside.publicAddress, outside.port],
      [outside.privateAddress, outside.port],
      [outside.linkLocalAddress, outside.port],
      ["10.0.2.2", outside.hostPort],
      [outside.hostAddress, outside.hostPort],
    ] as const;
    const isOpen = (host: string) => host === outside.publicAddress || egress === openEgress;
    const seconds = (host: string) => (isOpen(host) ? 30 : 5);
    const script = targets
      .map(
        ([host, port]) =>
          `printf '%s|' "$(printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w ${seconds(host)} ${host} ${port} 2>/dev/null | tail -n 1)"`,
      )
      .join("\n");
    let text = "";
    await inside(machines, [script], async ({ environment, order }) => {
      ({ text } = await ran(environment, order.jobs[0]!));
    });
    return text.split("|").slice(0, -1);
  }

  test("without a packet filter, machines with a network reach everything that their host reaches", async () => {
    expect(await answers(openEgress)).toEqual(["outside", "outside", "outside", "host", "host"]);
  });

  test("with it they reach public addresses only, and the rules go with the runner", async () => {
    expect(await answers(enforced)).toEqual(["outside", "", "", "", ""]);
    expect(execFileSync("iptables-save", { encoding: "utf8" })).not.toContain("60950");
  });
}
