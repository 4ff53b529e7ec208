import type { AssignedService, Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import Docker from "dockerode";
import { anAssignment } from "./_assignment.js";
import { dockerLimits } from "./_docker.js";
import { bootRunner } from "./_suite.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const engine = new Docker();
  const host = "unix:///var/run/docker.sock";
  const docker = { host, ...dockerLimits, diskBytes: 64 * 1024 ** 2, serviceReadyMs: 600_000 };
  const booted = bootRunner({ drivers: ["docker"], builds: 1, docker });
  const impatient = bootRunner({ drivers: ["docker"], builds: 1, docker: { ...docker, serviceReadyMs: 30_000 } });
  const { run, submit, kill } = booted;

  const aService = (name: string, script: string, more: Partial<AssignedService> = {}): AssignedService => ({
    ...{ name, image, variables: [], command: ["/bin/sh", "-c", script] },
    ...more,
  });
  const withServices = (services: readonly AssignedService[], ...jobs: string[][]): Assignment => {
    const driver = { type: "docker", image, workspace: "/build", pullAlways: false, keepOnFailureMinutes: 0 } as const;
    const assignment = anAssignment({ driver, services }, ...services.map(() => ["exit 1"]), ...jobs);
    const named = assignment.jobs.map((job, index) => {
      const service = services[index - 1]?.name;
      return service === undefined ? job : { ...job, service, name: `service.${service}` };
    });
    return { ...assignment, jobs: named };
  };

  const containers = ({ config } = booted) =>
    engine.listContainers({ all: true, filters: { label: [`ci.runner=${config.name}`] } });
  afterEach(() => eventually(async () => expect([await containers(), await containers(impatient)]).toEqual([[], []])));

  const web = aService("web", 'mkdir /w; echo "$GREETING" > /w/x; echo up; sleep 1; exec httpd -f -v -p 80 -h /w', {
    variables: [{ key: "GREETING", value: "hello from web", masked: false }],
    ready: "wget -q -O- http://127.0.0.1/x",
  });

  test("jobs reach a service under its name once it is ready; its output follows theirs", async () => {
    const { outcomes, text } = await run(
      withServices([web], ["wget -q -O- http://web/x"], ["wget -q -O- http://web/x; false"]),
    );
    expect(outcomes).toEqual(["passed", "passed", "passed", "failed"]);
    expect(text).toMatch(
      /Starting service web from image .*Service web is ready; .*hello from web\n.*hello from web\n/s,
    );
    expect(text).toMatch(/\+ false\nJob failed: exit code 1\nup\n/);
  });

  test("a service has few rights, the limits of jobs, and no variables of the build", async () => {
    const probe = aService("probe", 'env; mount -t tmpfs x /mnt; sed -n "s/^CapEff:.//p" /proc/self/status; sleep 100');
    const build = submit({
      ...withServices([probe], ["while :; do sleep 1; done"]),
      variables: [{ key: "BUILD_SECRET", value: "hunter2", masked: true }],
    });
    const all = await eventually(async () => {
      const found = await Promise.all((await containers()).map(({ Id }) => engine.getContainer(Id).inspect()));
      expect(found.filter(({ State }) => State.Running)).toHaveLength(2);
      return found;
    });
    const limits = all.map(({ HostConfig: { Memory, PidsLimit, NanoCpus, SecurityOpt, CapDrop } }) => ({
      ...{ Memory, PidsLimit, NanoCpus, SecurityOpt, CapDrop },
    }));
    expect(limits[0]).toEqual(limits[1]);
    kill(build);
    await eventually(() => expect(build.final).toBe("killed"));
    expect(build.text).not.toMatch(/hunter2|xxxxxx|BUILD_SECRET|CI_JOB/);
    expect(build.text).toMatch(/mount: .*denied|mount: .*not permitted/);
  });

  test.each([
    [
      "that ends",
      booted,
      // A check that passes could do so before the service ends.
      aService("db", "echo no space >&2; exit 3", { ready: "false" }),
      "Service db ended before it was ready",
      "no space\n",
    ],
    [
      "whose check never passes",
      impatient,
      aService("db", "echo starting; sleep 1000", { ready: "false" }),
      "Service db did not become ready within 30s",
      "starting\n",
    ],
    [
      "whose check hangs",
      impatient,
      aService("db", "echo starting; sleep 1000", { ready: "sleep 1000" }),
      "Service db did not become ready within 30s",
      "starting\n",
    ],
    [
      "with a command that does not exist",
      booted,
      { ...aService("db", ""), command: ["/no/such/program"] },
      `The container engine cannot run service db from image ${image}; the runner's log says why`,
      "",
    ],
  ])("a service %s fails create-driver with its last lines", async (_what, runner, service, why, lines) => {
    const { outcomes, text } = await runner.run(withServices([service], ["echo never"]));
    expect(outcomes).toEqual(["failed"]);
    // They precede the reason, and follow it as the output of the service.
    expect(text.endsWith(`\n${lines}${why}\n${lines}`)).toBe(true);
  });

  test("a service whose check never passes fails with what the check said", async () => {
    const service = aService("db", "sleep 1000", { ready: "no-such-check" });
    const { outcomes, text } = await impatient.run(withServices([service], ["echo never"]));
    expect(outcomes).toEqual(["failed"]);
    expect(text).toMatch(/The check of service db said: .*no-such-check: not found\nService db did not become ready/);
  });

  test("a build whose engine kills a service before it is ready is given back", async () => {
    const build = submit(withServices([aService("db", "sleep 1000", { ready: "false" })], ["echo never"]));
    await eventually(async () => {
      const db = (await containers()).find(({ State, Command }) => State === "running" && Command.includes("sleep"));
      await engine.getContainer(db!.Id).kill();
    });
    await eventually(() => expect([build.returned, build.final]).toEqual([true, undefined]));
    expect(build.text).toMatch(/\nThis runner cannot go on: .+\n$/);
  });

  test("what services write counts as written by the build", async () => {
    const service = aService("db", "head -c 100000000 /dev/zero > /x; echo written; sleep 1000");
    const { outcomes, text } = await run(withServices([service], ["while :; do sleep 1; done"]));
    expect(outcomes.at(-1)).toBe("failed");
    expect(text).toContain("Killed: out of disk");
  });

  test("a service that has filled its log keeps the build's output within bounds", async () => {
    const service = aService(
      "db",
      "yes 'a service that talks a lot' | head -n 400000; echo done; touch /done; sleep 1000",
      {
        ready: "test -e /done",
      },
    );
    const { outcomes, text } = await run(withServices([service], ["echo job"]));
    expect(outcomes).toEqual(["passed", "passed", "passed"]);
    expect(text.length).toBeLessThan(3 * 1024 ** 2);
    expect(text.endsWith("talks a lot\ndone\n")).toBe(true);
  });
}
