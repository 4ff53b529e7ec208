// The environment variables that no service reads, for docs/operating/settings.md.

/** @type {{ title: string, intro: string, rows: [name: string, fallback: string, about: string][] }[]} */
export const elsewhere = [
  {
    title: "npm start and npm run dev",
    intro:
      "Each service gets the settings that it reads, and variables of the machine, of Node.js and of OpenTelemetry (`PATH`, `HOME`, `LANG`, `OTEL_*` and the like). Both commands choose `LISTEN`, `ADMIN_LISTEN`, the services' addresses, `MONGO_DB` of each service and `RUNNER_DRAIN` (`0s`).",
    rows: [
      ["CI_PORT", "`8080`", "port of the API on 127.0.0.1"],
      ["CI_DATA", "`.data`", "data folder: databases, logs, generated keys and the administrator's token"],
      ["MONGO_DB", "`ci`", "prefix of the databases' names: `ci_builds`"],
      [
        "CI_NODE",
        "chosen",
        "Node.js that runs the services and the tests. By default, it is this machine's if that is 26 or later, otherwise on Linux the packaged 26",
      ],
      [
        "CI_INSPECT",
        "none",
        "`npm run dev`: services that a debugger can attach to, separated by commas; the first one on port 9229, the others on the next ports",
      ],
      ["NODE_COMPILE_CACHE", "`.cache/v8`", "`npm run dev`: folder in which Node.js 22 or later caches compiled code"],
    ],
  },
  {
    title: "Compose",
    intro: "Set them in `deploy/.env`, which `sh deploy/secrets.sh` creates, together with the settings above.",
    rows: [
      ["CI_BIND", "`127.0.0.1`", "address on which the API is published, on `CI_PORT`"],
      ["CI_IMAGES", "`service-ci`", "prefix of the images' names"],
      ["CI_VERSION", "`0.2.0`", "tag of the images"],
      ["CI_NODE_OPTIONS", "none", "added to `NODE_OPTIONS` of the services"],
      ["MONGO_IMAGE", "`mongo:8.0`", "image of MongoDB"],
      ["NATS_IMAGE", "`nats:2.14`", "image of NATS"],
      ["MONGO_CACHE_GB", "`0.5`", "memory for MongoDB's cache, in GiB"],
      ["MONGO_KEY", "generated", "key with which the replica set's members authenticate to each other"],
      ["MONGO_ROOT_PASSWORD", "generated", "password of MongoDB's user `root`"],
      ["MONGO_USER", "`ci`", "the operator's user in MongoDB; the services' users are named after it: `ci_builds`"],
      ["MONGO_PASSWORD", "generated", "password of `MONGO_USER`"],
      ["MONGO_PASSWORD_NAMESPACES", "generated", "password of the user `ci_namespaces` in MongoDB"],
      ["MONGO_PASSWORD_BUILDS", "generated", "password of the user `ci_builds` in MongoDB"],
      ["MONGO_PASSWORD_IMAGES", "generated", "password of the user `ci_images` in MongoDB"],
      ["MONGO_PASSWORD_WEBHOOKS", "generated", "password of the user `ci_webhooks` in MongoDB"],
      ["NATS_PASSWORD", "generated", "password of the operator's user `ci` in NATS"],
      ["NATS_PASSWORD_GATEWAY", "generated", "password of the user `gateway` in NATS"],
      ["NATS_PASSWORD_NAMESPACES", "generated", "password of the user `namespaces` in NATS"],
      ["NATS_PASSWORD_BUILDS", "generated", "password of the user `builds` in NATS"],
      ["NATS_PASSWORD_IMAGES", "generated", "password of the user `images` in NATS"],
      ["NATS_PASSWORD_WEBHOOKS", "generated", "password of the user `webhooks` in NATS"],
      ["NATS_PASSWORD_RUNNER", "generated", "password of the user `runner` in NATS"],
      ["RUNNER_IMAGE", "`runner`", "image of the runner; `runner-qemu` for virtual machines"],
      ["RUNNER_GRACE", "`11m`", "how long Compose waits for the runner to stop; more than `RUNNER_DRAIN`"],
      ["DOCKER_SOCKET", "`/var/run/docker.sock`", "socket of this machine's Docker Engine"],
      ["DOCKER_GID", "found", "group id of that socket"],
      [
        "RUNNER_DOCKER_HOST",
        "none",
        "engine on another machine, such as `tcp://engine.example.com:2376` ([how](../operating.md#an-engine-on-another-machine))",
      ],
      [
        "RUNNER_DOCKER_CERT_PATH",
        "none",
        "folder on this machine with ca.pem, cert.pem and key.pem for that engine; without it, the connection has no TLS",
      ],
    ],
  },
  {
    title: "Memory",
    intro: "The images and `npm start` set this for each service ([more](../operating.md#scale)).",
    rows: [["MALLOC_ARENA_MAX", "`2`", "memory pools of the C library (glibc); fewer take less memory"]],
  },
  {
    title: "Traces",
    intro:
      "For [traces](metrics.md#traces). All other `OTEL_*` variables of the OpenTelemetry SDK for Node.js work too.",
    rows: [
      [
        "NODE_OPTIONS",
        "`--max-semi-space-size=8`",
        "`--import file:///app/deploy/otel/register.mjs` turns traces on; also other options of Node.js. It is added to the default; only in a container that you start yourself does it replace the default. Compose has `CI_NODE_OPTIONS`",
      ],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "none", "URL of the collector"],
      ["OTEL_SERVICE_NAME", "`service-ci-<service>`", "name of the service in traces"],
      ["OTEL_METRICS_EXPORTER", "`none`", "stays off: metrics are read from `/metrics`"],
      ["OTEL_LOGS_EXPORTER", "`none`", "stays off: logs are on standard output"],
      ["OTEL_NODE_RESOURCE_DETECTORS", "`env,host`", "detectors of the process's attributes in spans"],
    ],
  },
  {
    title: "Commands of this repository",
    intro: "`npm test`, `npm run check`, `npm run bench`, `npm run images`, `npm run image`, and their downloads.",
    rows: [
      ["CI_NODE_IMAGE", "`node:26.12.1-trixie-slim`", "image that builds the services' images"],
      ["CI_RUNTIME_IMAGE", "`CI_NODE_IMAGE`", "base of the services' images"],
      ["CI_MONGO_IMAGE", "`mongo:8`", "MongoDB for the tests"],
      ["CI_NATS_IMAGE", "`nats:2`", "NATS for the tests"],
      ["CI_TEST_IMAGE", "`busybox:1.37`", "image in which builds of the tests and of the sample run"],
      ["CI_TEST_DISKS", "made", "folder of disk images for tests with virtual machines"],
      ["CI_BASE_IMAGE", "none", "file of an image `debian-12` to test; `make` builds one first, which takes minutes"],
      [
        "TOKENS",
        "none",
        "for `npm run bench -- compare`: a token for each of the two installations, separated by a space",
      ],
      ["CI_INSTALL", "`1`", "`0`: never install packages on this machine; tests that need them are skipped and named"],
      ["CI_CHROMIUM", "found on the `PATH`", "Chromium for the web page's tests and screenshots"],
      ["NPM_CONFIG_REGISTRY", "npm's own", "registry for packages while images are built"],
      ["PIP_INDEX_URL", "PyPI", "index for programs that are downloaded as Python packages"],
    ],
  },
];
