import { connect } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const limits = {
  REQUESTS_AT_ONCE: "1",
  UPLOADS_AT_ONCE: "1",
  REQUESTS_PER_MINUTE: "6000",
  ANONYMOUS_REQUESTS_PER_MINUTE: "30",
};
/** How long a request waits for others of its user. */
const patienceMs = 10_000;
const ci = constellation({ settings: limits });

const kinds = {
  requests: {
    begin: (user: SignedUp) => {
      const body = new PassThrough();
      body.write('{"name":');
      const headers = { "content-type": "application/json" };
      const answer = user.send("POST", "/namespaces", { body, headers });
      return { answer, finish: () => body.end(`"${aWord()}"}`) };
    },
    whole: (user: SignedUp) => user.get("/user"),
  },
  uploads: {
    begin: (user: SignedUp) => {
      const body = new PassThrough();
      body.write("content");
      const answer = user.send("POST", `/objects?name=${aWord()}`, { body });
      return { answer, finish: () => body.end() };
    },
    whole: (user: SignedUp) => user.send("POST", `/objects?name=${aWord()}`, { body: Readable.from(["content"]) }),
  },
};

test.each(["requests", "uploads"] as const)(
  "a user's %s wait for an unfinished one, and those of others do not",
  async (kind) => {
    const [ann, bob] = await Promise.all([ci.signUp(), ci.signUp()]);
    const { begin, whole } = kinds[kind];
    const succeeded = (status: number) => Math.floor(status / 100) === 2;
    // A busy machine may take too long for an unfinished body. Then another one begins.
    await eventually(async () => {
      const { answer, finish } = begin(ann);
      const others = [(await whole(bob)).status];
      const sent: Promise<number>[] = [];
      let waits = false;
      // A request may arrive before the unfinished one. A later one then waits.
      while (!waits && sent.length < 10) {
        let answered = false;
        sent.push(
          whole(ann).then(({ status }) => {
            answered = true;
            return status;
          }),
        );
        // Together they take much longer than that request, but not as long as it may wait.
        const untilMs = performance.now() + patienceMs / 2;
        for (let n = 0; !answered && n < 25 && performance.now() < untilMs; n++) others.push((await whole(bob)).status);
        waits = !answered;
      }
      finish();
      const all = await Promise.all([answer.then(({ status }) => status), ...sent]);
      expect({ waits, refused: [...all, ...others].filter((status) => !succeeded(status)) }).toEqual({
        waits: true,
        refused: [],
      });
    });
  },
);

test("a user's requests wait for a long response that the client does not take", async () => {
  const [ann, bob] = await Promise.all([ci.signUp(), ci.signUp()]);
  const manifest = `${aManifest()}\n# ${"x".repeat(900 * 1024)}`;
  const { url } = created(await ann.post("/builds", { manifest }));
  const response = await ann.get(url);
  expect(response.json.manifest).toBe(manifest);
  const head = await ann.send("HEAD", url);
  expect(head).toMatchObject({ status: 200, text: "" });
  expect(head.headers["content-length"]).toBe(response.headers["content-length"]);
  const socket = connect(Number(new URL(ci.origin).port), "127.0.0.1")
    .on("error", () => undefined)
    .pause();
  const { pathname } = new URL(url);
  const request = `GET ${pathname} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ann.token}\r\n\r\n`;
  socket.write(request.repeat(40));
  const status = async () => (await ann.get("/user")).status;
  await eventually(async () => expect(await status()).toBe(429));
  expect((await bob.get("/user")).status).toBe(200);
  socket.resume();
  await eventually(async () => expect(await status()).toBe(200));
  socket.destroy();
});

test("strangers whose bodies arrive slowly hold up neither sign-ins nor checks of health from their address", async () => {
  const ann = await ci.signUp();
  const [slow, stranger] = [new PassThrough(), ci.as()];
  slow.write('{"token":');
  const answer = stranger.send("POST", "/session", { body: slow, headers: { "content-type": "application/json" } });
  for (let i = 0; i < 2; i++) {
    expect((await stranger.get("/version")).status).toBe(200);
    expect((await stranger.get("/health")).status).toBe(200);
  }
  expect((await stranger.post("/session", { token: ann.token })).status).toBe(201);
  slow.end(`"${ann.token}"}`);
  expect((await answer).status).toBe(201);
});

test("a sign-in accepts 8 KiB", async () => {
  const signIn = (length: number) => ci.as().post("/session", { token: "x".repeat(length) });
  expect((await signIn(8_000)).status).toBe(401);
  expect(await signIn(8_192)).toMatchObject({ status: 413, json: { message: "Request body too large" } });
});

test("responses say how many requests a token and an address without one may still send", async () => {
  const ann = await ci.signUp();
  for (const [api, path, name, limit] of [
    [ann, "/user", "token", 6_000],
    [ann, "/b/nobody/1", "token", 6_000],
    [ci.as(), "/version", "address", 30],
  ] as const) {
    const { headers } = await api.get(path);
    expect(headers["ratelimit-policy"]).toBe(`"${name}";q=${limit};w=60`);
    expect(headers.ratelimit).toMatch(new RegExp(`^"${name}";r=\\d+;t=\\d+$`));
  }
});

test("an address without a token is limited, and tokens at the same address are not", async () => {
  const ann = await ci.signUp();
  let refused: Awaited<ReturnType<typeof ann.get>> | undefined;
  // If a minute ends meanwhile, the count restarts.
  for (let i = 0; i < 200 && !refused; i++) {
    const response = await ci.as().get("/version");
    if (response.status !== 200) refused = response;
  }
  expect(refused).toMatchObject({ status: 429, json: { message: "Too many requests" } });
  expect((await ann.get("/user")).status).toBe(200);
  for (let i = 0; i < 40; i++) expect((await ci.as().get("/health")).status).toBe(200);
});

test("an address that shows too many invalid tokens gets 429 for unknown ones, and valid ones continue", async () => {
  const [ann, bob] = await Promise.all([ci.signUp(), ci.signUp()]);
  expect((await ann.get("/user")).status).toBe(200);
  // Requests without a token do not count.
  for (let i = 0; i < 40; i++) await ci.as().get("/version");
  const first = await ci.as("ci_wrong").get("/user");
  expect([first.status, first.headers["ratelimit-policy"]]).toEqual([401, '"address";q=30;w=60']);
  expect((await bob.get("/user")).status).toBe(200);
  const exhaust = async () => {
    for (let i = 0; i < 200; i++) {
      const response = await ci.as(`ci_${aWord()}`).get("/user");
      if (response.status !== 401) return response;
    }
    return first;
  };
  // If a minute ends meanwhile, the count restarts.
  await eventually(async () => {
    const refused = await exhaust();
    expect(refused).toMatchObject({ status: 429, json: { message: "Too many requests" } });
    expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
    // Also makes the gateway look up tokens again.
    const carol = await ci.signUp();
    expect((await carol.get("/user")).status).toBe(429);
    for (const user of [ann, bob]) expect((await user.get("/user")).status).toBe(200);
  });
});
