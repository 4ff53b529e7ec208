import { readSettings, type ServiceConfig, serviceConfig, settingsReadFrom, subjectPrefix } from "./config.js";
import { parseDuration, parseSize, timer } from "./setting-types.js";

it.each([
  ["250ms", 250],
  ["15s", 15_000],
  ["5min", 300_000],
  ["2h", 7_200_000],
  ["30d", 2_592_000_000],
])("parseDuration reads %s", (text, ms) => expect(parseDuration(text)).toBe(ms));

it.each([
  ["512", 512],
  ["64KiB", 65_536],
  ["5MiB", 5_242_880],
  ["20GiB", 21_474_836_480],
])("parseSize reads %s", (text, bytes) => expect(parseSize(text)).toBe(bytes));

it("readSettings returns the values of the environment, or the defaults", () => {
  const config = readSettings({ NAME: "x", COUNT: "7", LIST: "a, b,,c", ON: "1" }, (s) => ({
    name: s.str("NAME", "it"),
    count: s.int("COUNT", "it"),
    list: s.list("LIST", "it"),
    on: s.bool("ON", "it", false),
    waitMs: s.duration("WAIT", "it", "2s"),
    size: s.size("SIZE", "it", "1KiB"),
    maybe: s.maybe("NOTHING", "it"),
  }));
  expect(config).toEqual({ name: "x", count: 7, list: ["a", "b", "c"], on: true, waitMs: 2_000, size: 1024 });
});

it("readSettings throws one error that names every mistake", () => {
  const read = () =>
    readSettings({ COUNT: "-1", WAIT: "soon", SIZE: "5MB", ON: "yes", EMPTY: "" }, (s) => [
      s.str("EMPTY", "it"),
      s.int("COUNT", "it"),
      s.duration("WAIT", "it", "1s"),
      s.size("SIZE", "it", "1"),
      s.bool("ON", "it", true),
    ]);
  expect(read).toThrow(
    [
      "Settings:",
      "  EMPTY is required",
      '  COUNT must be a whole number, not "-1"',
      '  WAIT must be a time such as 250ms, 15s, 5min, 2h or 30d, not "soon"',
      '  SIZE must be a size such as 512, 64KiB, 5MiB or 1GiB, not "5MB"',
      '  ON must be true or false, not "yes"',
    ].join("\n"),
  );
});

it("settingsReadFrom lists all settings that were read, also invalid ones", () => {
  const env = { COUNT: "many" };
  const read = () =>
    readSettings(env, (s) => [s.int("COUNT", "how many", 2), s.str("WHERE", "where it is"), s.maybe("TO", "who")]);
  expect(read).toThrow("COUNT");
  expect(settingsReadFrom(env)).toEqual([
    { name: "COUNT", about: "how many", required: false, fallback: "2" },
    { name: "WHERE", about: "where it is", required: true, fallback: undefined },
    { name: "TO", about: "who", required: false },
  ]);
});

const problemOf = (env: Record<string, string>, read: Parameters<typeof readSettings>[1]): string => {
  try {
    readSettings(env, read);
  } catch (error) {
    return (error as Error).message.replace("Settings:\n  X ", "");
  }
  return "well";
};

describe("an error names the limits of", () => {
  test.each([
    ["0", 'must be a whole number of 1 or more, not "0"'],
    ["1", "well"],
    ["1e3", 'must be a whole number, not "1e3"'],
  ])("the number %s", (X, sentence) => {
    expect(problemOf({ X }, (s) => s.int("X", "it", 7, { min: "1" }))).toBe(sentence);
  });

  test.each([
    ["99", 'must be a whole number from 100 to 200, not "99"'],
    ["201", 'must be a whole number from 100 to 200, not "201"'],
    ["200", "well"],
  ])("the number %s with two limits", (X, sentence) => {
    expect(problemOf({ X }, (s) => s.int("X", "it", 150, { min: "100", max: "200" }))).toBe(sentence);
  });

  test.each([
    ["0s", 'must be a time from 1ms to 24d, not "0s"'],
    ["25d", 'must be a time from 1ms to 24d, not "25d"'],
    ["24d", "well"],
  ])("the timer %s", (X, sentence) => {
    expect(problemOf({ X }, (s) => s.duration("X", "it", "1s", timer))).toBe(sentence);
  });

  test.each([
    ["0s", "well"],
    [`${"9".repeat(20)}d`, `must be a time of 3650d or less, not "${"9".repeat(20)}d"`],
  ])("the time %s", (X, sentence) => {
    expect(problemOf({ X }, (s) => s.duration("X", "it", "1s"))).toBe(sentence);
  });

  test.each([
    ["5MiB", 'must be a size from 6MiB to 8388607GiB, not "5MiB"'],
    ["9000000GiB", 'must be a size from 6MiB to 8388607GiB, not "9000000GiB"'],
    ["6MiB", "well"],
  ])("the size %s", (X, sentence) => {
    expect(problemOf({ X }, (s) => s.size("X", "it", "2GiB", { min: "6MiB" }))).toBe(sentence);
  });

  test.each([
    ["dokcer", 'must be a list of docker, qemu and os, not "dokcer"'],
    ["docker,", 'must be a list of docker, qemu and os, not "docker,"'],
    [",", 'must be a list of docker, qemu and os, not ","'],
    ["os, docker ,os", "well"],
  ])("the list %s", (X, sentence) => {
    expect(problemOf({ X }, (s) => s.someOf("X", "it", ["docker", "qemu", "os"]))).toBe(sentence);
  });

  test.each([
    ["docker", 'must be debug, info or warn, not "docker"'],
    ["INFO", 'must be debug, info or warn, not "INFO"'],
    ["info", "well"],
  ])("the choice %s", (X, sentence) => {
    expect(problemOf({ X }, (s) => s.oneOf("X", "it", ["debug", "info", "warn"]))).toBe(sentence);
  });

  const listenProblem = (X: string) => `must be host:port with a port from 0 to 65535, not "${X}"`;
  test.each(["0.0.0.0:0", "127.0.0.1:65535", "[::]:8080", "[fe80::1%eth0]:1", "ci.example.com:80", "my_host:80"])(
    "no address such as %s, which is valid",
    (X) => expect(problemOf({ X }, (s) => s.listen("X", "it"))).toBe("well"),
  );
  test.each(["0.0.0.0:80800", "0.0.0.0:-1", "8080", ":8080", "a:", "a:b", "a b:1", "::1:80", "http://a:80", "a:80/"])(
    "the invalid address %s",
    (X) => expect(problemOf({ X }, (s) => s.listen("X", "it"))).toBe(listenProblem(X)),
  );
  test("the address of a peer, which cannot have port 0", () => {
    const sentence = 'must be host:port with a port from 1 to 65535, not "a:0"';
    expect(problemOf({ X: "a:0" }, (s) => s.peer("X", "it"))).toBe(sentence);
  });
});

it.each(["my ci", "*", "a.>", ">", ".a", "a.", "a..b"])("SUBJECT_PREFIX may not be %s, which NATS refuses", (text) =>
  expect(() => readSettings({ SUBJECT_PREFIX: text }, subjectPrefix)).toThrow(
    `SUBJECT_PREFIX must be words joined by dots, without blanks, * and >, not "${text}"`,
  ),
);

it.each(["ci", "team.ci", "ci:prod", "ä"])("SUBJECT_PREFIX may be %s", (text) =>
  expect(readSettings({ SUBJECT_PREFIX: text }, subjectPrefix)).toBe(text),
);

describe("serviceConfig", () => {
  const required = {
    ...{ TLS_CERT: "c", TLS_KEY: "k", TLS_CA: "a" },
    MONGO_URL: "mongodb://m",
    NATS_URL: "n, user:secret@nats.example:4222",
  };
  const problemWith = (more: Record<string, string>) =>
    problemOf({ ...required, ...more }, (s): ServiceConfig => serviceConfig(s, "builds", {})).replace(
      "Settings:\n  ",
      "",
    );

  test("accepts valid settings, and needs only MONGO_URL and NATS_URL", () => {
    expect(problemWith({})).toBe("well");
    expect(problemWith({ LISTEN: "[::]:80", ADMIN_LISTEN: "0.0.0.0:9090", LOG_LEVEL: "silent" })).toBe("well");
  });

  const escaped =
    "must be mongodb://user:password@host:port, with `:`, `/`, `?` and `@` of user and password as %3A, %2F, %3F and %40";

  test.each([
    "mongodb://ci:p%40ss%2Fw@a:27017,[::1]:27018/db?tlsCAFile=/etc/a@b&replicaSet=rs",
    "mongodb+srv://ci@mongo.example/?w=1",
    "mongodb://a?directConnection=true",
  ])("accepts MONGO_URL=%s", (url) => expect(problemWith({ MONGO_URL: url })).toBe("well"));

  const levels = "trace, debug, info, warn, error, fatal or silent";
  test.each([
    ["LISTEN", "0.0.0.0:80800", 'must be host:port with a port from 0 to 65535, not "0.0.0.0:80800"'],
    ["ADMIN_LISTEN", "9090", 'must be host:port with a port from 0 to 65535, not "9090"'],
    ["LOG_LEVEL", "verbose", `must be ${levels}, not "verbose"`],
    ["STOP_DELAY", "30d", 'must be a time of 24d or less, not "30d"'],
    ["MONGO_URL", "postgres://me:secret@p", "must begin with mongodb:// or mongodb+srv://"],
    ["MONGO_URL", "mongodb://ci:pa@ss:w/ord@mongo.example/", escaped],
    ["MONGO_URL", "mongodb://ci:pa/ss@mongo.example", escaped],
    ["MONGO_URL", "mongodb://ci:pa:ss@mongo.example", escaped],
    [
      "NATS_URL",
      "nats://me:secret@n:99999",
      "must be nats://host:port or tls://host:port, or several separated by commas; tlsCAFile needs tls://",
    ],
  ])("rejects %s=%s", (name, value, sentence) => expect(problemWith({ [name]: value })).toBe(`${name} ${sentence}`));
});
