// Says whether an installation works, for `helm test`: every service responds, the administrator's token is valid, and runners
// serve the drivers.
//   node try.cjs URL DRIVER...
// Environment: CI_ADMIN_TOKEN; TRY_WITHIN_MS (60 s), after which it exits with code 1 and says what does not work.
const { setTimeout: pause } = require("node:timers/promises");

const [base, ...wanted] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${process.env.CI_ADMIN_TOKEN}` };

/** @param {string} path @returns {Promise<any>} */
const get = async (path) => {
  const response = await fetch(`${base}${path}`, { headers, signal: AbortSignal.timeout(10_000) }).catch((error) => {
    throw new Error(`GET ${base}${path}: ${error.cause?.message || error.cause?.code || error.message}`);
  });
  if (response.status !== 200) throw new Error(`GET ${base}${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

const attempt = async () => {
  await get("/health");
  /** @type {{ drivers: { driver: string, runners: number }[] }} */
  const { drivers } = await get("/queue?hours=1");
  for (const driver of wanted)
    if (!drivers.some((one) => one.driver === driver && one.runners > 0)) throw new Error(`No runner serves ${driver}`);
  return get("/version");
};

const main = async () => {
  const withinMs = Number(process.env.TRY_WITHIN_MS || 60_000);
  for (const startedAt = performance.now(); ; await pause(1_000)) {
    const outcome = await attempt().catch((/** @type {Error} */ error) => error);
    if (!(outcome instanceof Error))
      return console.log(`Version ${outcome.build} works, and runners serve ${wanted.join(", ")}`);
    if (performance.now() - startedAt > withinMs) throw outcome;
  }
};

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
