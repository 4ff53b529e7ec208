// Makes nats-server use a changed certificate: it reads its files again on SIGHUP. Runs in a container that shares the network
// and the processes of nats-server, and its user.
//   node nats-reload.cjs once    returns when nats-server uses the certificate in TLS_CERT
//   node nats-reload.cjs keep    looks for a new certificate every 5 s
// Environment: TLS_CERT, NATS_PORT (4222), and NATS_PID, the file in which nats-server writes its process id.
const { X509Certificate } = require("node:crypto");
const { readFileSync } = require("node:fs");
const net = require("node:net");
const { setTimeout: pause } = require("node:timers/promises");
const tls = require("node:tls");

const { TLS_CERT = "/tls/tls.crt", NATS_PORT = "4222", NATS_PID = "/data/nats.pid" } = process.env;
const withinMs = 5_000;
const everyMs = 5_000;

/** Returns the fingerprint of the certificate that nats-server uses. @returns {Promise<string | undefined>} */
const used = () =>
  new Promise((resolve, reject) => {
    const plain = net.connect(Number(NATS_PORT), "127.0.0.1").once("error", reject);
    plain.setTimeout(withinMs, () => plain.destroy(new Error("nats-server does not answer")));
    plain.once("close", () => reject(new Error("nats-server closed the connection")));
    // nats-server introduces itself in plain text first.
    plain.once("data", () => {
      const secure = tls.connect({ socket: plain, rejectUnauthorized: false }, () => {
        resolve(secure.getPeerX509Certificate()?.fingerprint256);
        // nats-server logs an error if the connection breaks before it has seen the end of the handshake.
        secure.end();
      });
      secure.once("error", reject);
    });
  });

const wanted = () => new X509Certificate(readFileSync(TLS_CERT)).fingerprint256;

/** Resolves when nats-server uses the certificate in the file, and returns its fingerprint. */
const update = async () => {
  for (let signals = 0; ; signals++) {
    const fingerprint = wanted();
    if ((await used()) === fingerprint) return fingerprint;
    if (signals > 0) console.log("nats-server does not use the certificate yet");
    process.kill(Number(readFileSync(NATS_PID, "utf8")), "SIGHUP");
    await pause(500);
  }
};

const main = async () => {
  const [task] = process.argv.slice(2);
  if (task !== "once" && task !== "keep") throw new Error("The tasks are once and keep");
  let current = "";
  for (;;) {
    try {
      if (wanted() !== current) current = await update();
      if (task === "once") return;
    } catch (error) {
      console.log(/** @type {Error} */ (error).message);
    }
    await pause(everyMs);
  }
};

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(0));
main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
