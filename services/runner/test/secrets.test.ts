import { anAssignment, newId } from "./_assignment.js";
import { forbidden, hiddenSpans } from "./_slow-mask.js";
import { latin1 } from "./_spellings.js";
import { bootRunner } from "./_suite.js";

const image = process.env.CI_TEST_IMAGE;
const types = image ? (["os", "docker"] as const) : (["os"] as const);
const { run } = bootRunner({ drivers: [...types] });

const secret = "it's $ecret & 'long' / grün ".repeat(4);
const token = "hunter2'hunter2";
const body = Buffer.from("the body of a private key ".repeat(9))
  .toString("base64")
  .match(/.{1,70}/g)!;
const privateKey = `-----BEGIN PRIVATE KEY-----\n${body.join("\n")}\n-----END PRIVATE KEY-----\n`;
const folders = { os: ".ssh", docker: "/root/.ssh" };
const forbiddenTexts = forbidden([secret, token], [privateKey]);
const leaks = (text: string) =>
  hiddenSpans(latin1(text), forbiddenTexts).map(({ from, to }) => Buffer.from(text).toString("utf8", from, to));

describe.each(types)("a build of the %s driver", (type) => {
  const build = (commands: string[], sources: string[] = []) => {
    const assignment = anAssignment(
      {
        driver: { type, image: image ?? "", workspace: "/build", pullAlways: false, keepOnFailureMinutes: 0 },
        variables: [
          { key: "SECRET", value: secret, masked: true },
          { key: "TOKEN", value: token, masked: true },
        ],
        keys: [
          { name: "id", config: "", privateKey },
          { name: token, config: "", privateKey },
        ],
        objects: [{ id: newId(), source: token, name: `${token}/x`, objectId: newId() }],
      },
      commands,
    );
    const artifacts = sources.map((source) => ({ id: newId(), source, name: source }));
    const [prepare, job] = assignment.jobs;
    return { ...assignment, jobs: [prepare!, { ...job!, artifacts }] };
  };

  test("shows no secret in any spelling", async () => {
    const key = `${folders[type]}/id`;
    const { text, outcomes } = await run(
      build([
        'echo "<$SECRET>"',
        'echo "<$SECRET>" >&2',
        'printf %s "$SECRET" | (set +x; dd bs=9 count=1; sleep 0.1; cat; echo) 2>/dev/null',
        'echo "$SECRET" | base64',
        'printf "user:%s" "$SECRET" | base64',
        `cat ${key}`,
        `base64 < ${key}`,
        `printf %s "$(cat ${key})" | base64`,
      ]),
    );
    expect(outcomes).toEqual(["passed", "passed"]);
    expect(leaks(text)).toEqual([]);
    expect(text.match(/<xxxxxx>/g)?.length).toBeGreaterThanOrEqual(2);
    // Searches for every 12 consecutive characters of a secret, independently of the product's rules.
    const printed = [
      secret,
      body.join(""),
      Buffer.from(secret),
      Buffer.from(`user:${secret}`),
      Buffer.from(privateKey),
    ];
    for (const plain of printed.map((value) => (Buffer.isBuffer(value) ? value.toString("base64").slice(8) : value)))
      for (let start = 0; start + 12 <= plain.length; start++)
        if (text.includes(plain.slice(start, start + 12)))
          throw new Error(`${plain.slice(start, start + 12)} is in ${text}`);
  });

  test("shows no secret in the runner's own lines or in names", async () => {
    const { text, artifacts } = await run(build(['echo x > "$TOKEN.txt"'], ["*.txt", `${token}.log`]));
    expect(leaks(text)).toEqual([]);
    for (const line of [
      "Placing object xxxxxx => xxxxxx/x",
      "object error: xxxxxx: Not Found",
      "key error: xxxxxx: not usable as the name of a file",
      "Collecting artifact xxxxxx.txt => xxxxxx.txt",
      "artifact error: xxxxxx.log: not found",
    ])
      expect(text.split("\n")).toContain(line);
    expect(artifacts.map(({ header: { source, name } }) => [source, name])).toEqual([["xxxxxx.txt", "xxxxxx.txt"]]);
  });
});
