// The HEALTHCHECK of every image: exit code 0 if and only if the service's /healthz returns 200.
const http = require("node:http");

const port = (process.env.ADMIN_LISTEN ?? "").split(":").at(-1);
const failed = () => process.exit(1);
http
  .get({ host: "127.0.0.1", port, path: "/healthz", timeout: 3_000 }, ({ statusCode }) =>
    process.exit(statusCode === 200 ? 0 : 1),
  )
  .on("timeout", failed)
  .on("error", failed);
