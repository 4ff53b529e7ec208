// Writes the users of NATS, one for each service with its own subjects, for nats-server's configuration to include.
//   node nats.cjs FILE
// Environment: SUBJECT_PREFIX (`ci`), DRIVERS of the runners (`docker,qemu,os`). The file has no passwords: nats-server
// takes them from NATS_PASSWORD (the operator's user `ci`), NATS_PASSWORD_GATEWAY and so on.
const { writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");

const { natsUsers } = createRequire(`${process.cwd()}/`)("@ci/kit/bus/nats-users");
const { SUBJECT_PREFIX, DRIVERS } = process.env;
const installation = {
  prefix: SUBJECT_PREFIX || "ci",
  drivers: (DRIVERS || "docker,qemu,os").split(",").map((name) => name.trim()),
};
const passwordOf = (/** @type {string} */ user) =>
  user === "ci" ? "$NATS_PASSWORD" : `$NATS_PASSWORD_${user.toUpperCase()}`;
writeFileSync(process.argv[2], natsUsers(installation, passwordOf));
