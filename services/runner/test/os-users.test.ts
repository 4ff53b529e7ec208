import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { makePlace, removeLeftover } from "../src/drivers/os/place.js";
import { claimUser, releaseUser } from "../src/drivers/os/users.js";
import { osDriver } from "../src/drivers/os.js";
import { isRoot } from "../src/drivers/user.js";
import { workRoot } from "../src/drivers/work-root.js";
import { aFolder, osSubject, processes } from "./_os.js";
import { contentOf, inside, never, orderOf, ran, type Subject, textOf } from "./_subject.js";

const osUids = { first: 60_400, last: 60_499 };

if (!isRoot()) notRun("os jobs as users of their own", "the tests do not run as root");
else {
  let subject: Subject;
  /** A file of root's, in a folder of root's, as the installation's secrets are. */
  let secret: string;
  beforeAll(async () => {
    subject = await osSubject(osUids, "users");
    const folder = join(aFolder(), "data");
    await mkdir(folder, { mode: 0o700 });
    secret = join(folder, "settings.json");
    await writeFile(secret, "the token");
  });

  const inRange = (uid: number) => uid >= osUids.first && uid <= osUids.last;
  const isAlive = async (uid: number) => (await processes()).some((one) => one.uids.includes(uid));

  test("jobs have a user and a group of their own and no other group", () =>
    inside(subject, ["id -u; id -g; id -G; pwd; echo $HOME; echo $PATH"], async ({ environment, order }) => {
      const { text } = await ran(environment, order.jobs[0]!);
      const [uid, gid, groups, folder, home, path] = text.split("\n");
      expect(inRange(Number(uid))).toBe(true);
      expect([gid, groups]).toEqual([uid, uid]);
      expect([home, path]).toEqual([folder, process.env.PATH]);
    }));

  test("a job reads neither the runner's environment nor its secrets, and changes nothing of the runner's", () => {
    const attempts = [
      "cat /proc/$PPID/environ",
      `cat ${secret}`,
      "ls $HOME/../..",
      "echo 1 >> $HOME/../groups",
      "echo 1 > $HOME/../new",
      "mv $HOME $HOME/../other",
    ];
    const script = attempts.map((line, nth) => `if (${line}) > /dev/null 2>&1; then echo allowed ${nth}; fi`);
    return inside(subject, [`${script.join("\n")}\necho tried`], async ({ environment, order }) => {
      expect(await ran(environment, order.jobs[0]!)).toEqual({ code: 0, text: "tried\n" });
    });
  });

  test("two builds have different users, and neither reads the other's files", async () => {
    const script = "pwd; echo mine > file; while [ ! -e done ]; do sleep 0.1; done";
    await inside(subject, [script], async (first) => {
      const heard: Buffer[] = [];
      const stop = new AbortController();
      const run = first.environment.run(
        first.order.jobs[0]!,
        async (bytes) => void heard.push(Buffer.from(bytes)),
        stop.signal,
      );
      const folder = await eventually(() => {
        const [line] = Buffer.concat(heard).toString().split("\n");
        expect(line).toMatch(/^\//);
        return line!;
      });
      const spy = [`ls ${folder}`, `cat ${folder}/file`, `cat ${folder}/../script`, `touch ${folder}/done`];
      const tries = `${spy.map((line) => `${line} 2>/dev/null && echo allowed`).join("\n")}\nid -u`;
      await inside(subject, [`set +e\n${tries}`], async (second) => {
        const uid = Number((await ran(second.environment, second.order.jobs[0]!)).text);
        expect(inRange(uid)).toBe(true);
        expect((await stat(folder)).uid).not.toBe(uid);
      });
      stop.abort(new Error("killed"));
      await expect(run).rejects.toThrow("killed");
    });
  });

  test("an artifact is read with the job's rights, whatever a link says", () =>
    inside(
      subject,
      [`ln -s ${secret} link; ln -s $(dirname ${secret}) folder; echo own > own; chmod 600 own`],
      async ({ environment, order }) => {
        await ran(environment, order.jobs[0]!);
        for (const path of ["link", "folder/settings.json", secret])
          await expect(environment.open(path, never)).rejects.toMatchObject({
            name: "Fault",
            message: expect.stringMatching(/^(not found|permission denied)$/),
          });
        const found = [];
        for await (const { path } of environment.list("folder", 1, never)) found.push(path);
        expect(found).toEqual([]);
        expect(await contentOf(environment, "own")).toBe("own\n");
      },
    ));

  test("an object and a key belong to the job, and go only where it may write", () =>
    inside(subject, ["stat -c '%u %a' .ssh .ssh/id object; id -u"], async ({ environment, order }) => {
      await environment.put({ path: ".ssh/id", mode: 0o600, folderMode: 0o700, content: textOf("key") }, never);
      await environment.put({ path: "object", mode: 0o700, content: textOf("object") }, never);
      const forbidden = environment.put({ path: secret, mode: 0o700, content: textOf("mine") }, never);
      await expect(forbidden).rejects.toMatchObject({ name: "Fault", message: "permission denied" });
      expect(await readFile(secret, "utf8")).toBe("the token");
      const lines = (await ran(environment, order.jobs[0]!)).text.trim().split("\n");
      const uid = lines.pop();
      expect(lines).toEqual([`${uid} 700`, `${uid} 600`, `${uid} 700`]);
    }));

  test("an object that breaks off leaves nothing", () =>
    inside(subject, ["ls -A"], async ({ environment, order }) => {
      async function* broken() {
        yield Buffer.alloc(300_000);
        throw new Error("the source broke");
      }
      const placing = environment.put({ path: "object", mode: 0o700, content: broken() }, never);
      await expect(placing).rejects.toThrow("the source broke");
      expect((await ran(environment, order.jobs[0]!)).text).toBe("");
    }));

  test("nothing of a build's user survives, however it hid, and the user is free again", async () => {
    let uid = 0;
    const hidden = `trap '' TERM; echo > $HOME/up; while :; do sleep 1; done`;
    const hide = `cd /; env -i setsid sh -c "${hidden}" > /dev/null 2>&1 & while [ ! -e $HOME/up ]; do sleep 0.1; done`;
    await inside(subject, [`id -u; ${hide}`], async ({ environment, order }) => {
      uid = Number((await ran(environment, order.jobs[0]!)).text);
      expect(await isAlive(uid)).toBe(true);
    });
    expect(await isAlive(uid)).toBe(false);
    const only = { first: uid, last: uid };
    const { driver, ...more } = await osSubject(only, "only");
    await inside({ driver, ...more }, ["id -u"], async ({ environment, order }) => {
      expect(Number((await ran(environment, order.jobs[0]!)).text)).toBe(uid);
      const another = driver.environment(orderOf(subject, ["echo"]));
      await expect(another.prepare(() => undefined, never)).rejects.toThrow(
        `Every user of OS_UIDS=${uid}-${uid} has a build`,
      );
      await another[Symbol.asyncDispose]();
    });
  });

  /** Starts a process in a session of its own. */
  const hide = "setsid sh -c \"trap '' TERM; echo > up; sleep 1000\" > /dev/null 2>&1 & until [ -e up ]; do :; done";

  test("a short build leaves no process either", async () => {
    for (let nth = 0; nth < 10; nth++) {
      let uid = 0;
      await inside(subject, [`id -u; ${hide}`], async ({ environment, order }) => {
        uid = Number((await ran(environment, order.jobs[0]!)).text);
        expect(inRange(uid)).toBe(true);
      });
      expect(await isAlive(uid)).toBe(false);
    }
  });

  test("processes that start others and end, again and again, do not outlive their build", async () => {
    const trace = join(aFolder(), "trace");
    await writeFile(trace, "");
    await chmod(trace, 0o666);
    const chain = `next() { nth=$((nth + 1)); echo >> ${trace}; [ $nth -lt 500 ] || exec sh ./chain; next & }; next`;
    const start = "for chain in 1 2 3 4; do setsid sh ./chain > /dev/null 2>&1 & done; until [ -s $trace ]; do :; done";
    await inside(subject, [`echo '${chain}' > chain; trace=${trace}; ${start}`], async ({ environment, order }) => {
      await ran(environment, order.jobs[0]!);
    });
    const { size } = await stat(trace);
    await inside(subject, ["for nth in 1 2 3 4 5 6 7 8 9; do sh -c :; done"], async ({ environment, order }) => {
      await ran(environment, order.jobs[0]!);
    });
    expect((await stat(trace)).size).toBe(size);
  });

  test("a process whose group the crashed runner did not note ends with the leftover", async () => {
    const [folder, only] = [join(aFolder(), "build"), { first: 60_997, last: 60_997 }];
    await mkdir(folder);
    const { work } = await makePlace(folder, only);
    const hidden = spawn("sleep", ["1000"], { cwd: "/", env: {}, stdio: "ignore", uid: 60_997, gid: 60_997 });
    const ended = once(hidden, "exit");
    await eventually(async () => expect(await isAlive(60_997)).toBe(true));
    await removeLeftover(folder);
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(existsSync(work)).toBe(false);
  });

  test("a process of another user that has the rights of a build's user ends with the build", async () => {
    const [folder, only] = [join(aFolder(), "build"), { first: 60_995, last: 60_995 }];
    await mkdir(folder);
    await makePlace(folder, only);
    const program = join(aFolder(), "sleep");
    await copyFile("/bin/sleep", program);
    await chown(program, 60_995, 60_995);
    await chmod(program, 0o4755);
    const other = spawn(program, ["1000"], { cwd: "/", env: {}, stdio: "ignore", uid: 60_994, gid: 60_994 });
    const ended = once(other, "exit");
    await eventually(async () => expect(await isAlive(60_995)).toBe(true));
    await removeLeftover(folder);
    expect(await ended).toEqual([null, "SIGKILL"]);
  });

  const nextId = "/proc/sys/kernel/ns_last_pid";
  if (!existsSync(nextId)) notRun("process ids that start from the bottom", `there is no ${nextId}`);
  else
    test("a process survives no build by an id smaller than the first job's", async () => {
      const script = `id -u; echo $$ > leader; until [ -e go ]; do :; done; ${hide}; echo $!`;
      let [leader, uid, hidden] = [0, 0, 0];
      await writeFile(nextId, "30000");
      await inside(subject, [script], async ({ environment, order }) => {
        const running = ran(environment, order.jobs[0]!);
        await eventually(async () => {
          leader = Number(await contentOf(environment, "leader"));
          expect(leader).toBeGreaterThan(0);
        });
        await writeFile(nextId, "2000");
        await environment.put({ path: "go", mode: 0o600, content: textOf("") }, never);
        [uid, hidden] = (await running).text.trim().split("\n").map(Number) as [number, number];
      });
      expect(hidden).toBeLessThan(leader);
      expect(await isAlive(uid)).toBe(false);
    });

  test("only one of several builds gets an abandoned user", async () => {
    const only = { first: 60_998, last: 60_998 };
    for (let round = 0; round < 100; round++) {
      const abandoned = join(aFolder(), "build");
      await mkdir(abandoned);
      await claimUser(only, abandoned);
      await rm(abandoned, { recursive: true });
      const folders = Array.from({ length: 6 }, aFolder);
      const claims = await Promise.allSettled(folders.map((folder) => claimUser(only, folder)));
      const [winner, ...others] = folders.filter((_, nth) => claims[nth]!.status === "fulfilled");
      expect(others).toEqual([]);
      if (winner) await releaseUser({ uid: 60_998, gid: 60_998 }, winner);
    }
  });

  test("the user of a crashed runner's build is free once the folder is gone", async () => {
    const only = { first: 60_999, last: 60_999 };
    const [folder, next] = [join(aFolder(), "build"), aFolder()];
    await mkdir(folder);
    const user = { uid: 60_999, gid: 60_999 };
    expect(await claimUser(only, folder)).toEqual(user);
    await expect(claimUser(only, next)).rejects.toThrow("has a build");
    await rm(folder, { recursive: true });
    expect(await claimUser(only, next)).toEqual(user);
    await releaseUser(user, folder);
    await expect(claimUser(only, folder)).rejects.toThrow("has a build");
    await releaseUser(user, next);
  });

  test("the removal of an old folder spares the processes of a build that has its user by now", async () => {
    const user = { uid: 60_997, gid: 60_997 };
    const [old, present] = [join(aFolder(), "old"), aFolder()];
    await mkdir(join(old, "work"), { recursive: true });
    await chown(join(old, "work"), user.uid, user.gid);
    await claimUser({ first: user.uid, last: user.uid }, present);
    const child = spawn("sleep", ["1000"], { ...user, cwd: "/", stdio: "ignore" });
    try {
      await once(child, "spawn");
      await removeLeftover(old);
      expect(existsSync(old)).toBe(false);
      expect(await isAlive(user.uid)).toBe(true);
    } finally {
      child.kill("SIGKILL");
      await releaseUser(user, present);
    }
  });

  test("the runner refuses a folder that its jobs cannot enter", async () => {
    const closed = join(aFolder(), "closed");
    await mkdir(closed, { mode: 0o700 });
    const root = await workRoot(join(closed, "runner"), "name");
    const open = () => osDriver({ root, path: "", uids: osUids, log: createLog("runner", "silent") });
    await expect(open()).rejects.toThrow(/^RUNNER_DIR: jobs of the os driver run as user 60400, who cannot enter /);
    await chmod(closed, 0o711);
    await open();
  });
}
