// The environment variables that no service reads, for docs/operating/settings.md.

/** @type {{ title: string, says: string, rows: [name: string, fallback: string, about: string][] }[]} */
export const elsewhere = [
  {
    title: "npm start",
    says: "What services read is passed on to them, but for `LISTEN`, `ADMIN_LISTEN`, their addresses, `MONGO_DB` and `RUNNER_DRAIN` (`0s`).",
    rows: [
      ["CI_PORT", "`8080`", "port of the API on 127.0.0.1"],
      ["CI_DATA", "`.data`", "folder of its data: databases, logs, and the keys and token that it has made"],
      ["MONGO_DB", "`ci`", "how the names of its databases begin: `ci_builds`"],
    ],
  },
  {
    title: "Compose",
    says: "They stand in `deploy/.env`, which `sh deploy/secrets.sh` makes, together with the settings above.",
    rows: [
      ["CI_BIND", "`127.0.0.1`", "address on which the API is published, on `CI_PORT`"],
      ["CI_IMAGES", "`service-ci`", "how the images' names begin"],
      ["CI_VERSION", "`0.1.0`", "their tag"],
      ["MONGO_IMAGE", "`mongo:8.0`", "the image of MongoDB"],
      ["NATS_IMAGE", "`nats:2.11`", "the image of NATS"],
      ["MONGO_CACHE_GB", "`0.5`", "memory for MongoDB's cache"],
      ["MONGO_KEY", "made", "what the members of the replica set know each other by"],
      ["MONGO_ROOT_PASSWORD", "made", "of MongoDB's user `root`"],
      ["MONGO_USER", "`ci`", "MongoDB's user of the services"],
      ["MONGO_PASSWORD", "made", "its password"],
      ["NATS_PASSWORD", "made", "of NATS's user `ci`"],
      ["RUNNER_IMAGE", "`runner`", "`runner-qemu` for virtual machines"],
      ["RUNNER_GRACE", "`11m`", "what Compose waits for the runner to end, more than `RUNNER_DRAIN`"],
      ["DOCKER_SOCKET", "`/var/run/docker.sock`", "the engine's socket on this machine"],
      ["DOCKER_GID", "made", "the group that it belongs to"],
      ["RUNNER_DOCKER_HOST", "the socket", "`DOCKER_HOST` of the runner"],
      ["RUNNER_DOCKER_TLS_VERIFY", "none", "`DOCKER_TLS_VERIFY` of the runner"],
      ["RUNNER_DOCKER_CERT_PATH", "none", "`DOCKER_CERT_PATH` of the runner"],
    ],
  },
  {
    title: "Traces",
    says: "Where [traces](metrics.md) are wanted; all other `OTEL_*` of the OpenTelemetry SDK for Node.js count too.",
    rows: [
      ["NODE_OPTIONS", "none", "`--import file:///app/deploy/otel/register.mjs`; also other options of Node"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "none", "the collector"],
      ["OTEL_SERVICE_NAME", "`service-ci-<service>`", "how the service is called in traces"],
      ["OTEL_METRICS_EXPORTER", "`none`", "metrics are read from `/metrics`"],
      ["OTEL_LOGS_EXPORTER", "`none`", "logs are on standard output"],
      ["OTEL_NODE_RESOURCE_DETECTORS", "`env,host`", "what spans tell of their process"],
    ],
  },
  {
    title: "Commands of this repository",
    says: "`npm test`, `npm run bench`, `npm run images`, `npm run image`, and what they fetch.",
    rows: [
      ["CI_NODE_IMAGE", "`node:22.21.1-bookworm-slim`", "what images are made with"],
      ["CI_RUNTIME_IMAGE", "`CI_NODE_IMAGE`", "what they run on"],
      ["CI_MONGO_IMAGE", "`mongo:8`", "MongoDB for the tests"],
      ["CI_NATS_IMAGE", "`nats:2`", "NATS for the tests"],
      ["CI_TEST_IMAGE", "`busybox:1.37`", "what builds of the tests and of the sample run in"],
      ["CI_TEST_DISKS", "made", "folder of disk images for the tests of virtual machines"],
      [
        "CI_BASE_IMAGE",
        "none",
        "the file of an image `debian-12` to be tested; `make` makes it first, which takes minutes",
      ],
      ["CI_INSTALL", "`1`", "`0`: never install packages on this machine; what needs them is left out, and named"],
      ["NPM_CONFIG_REGISTRY", "npm's own", "where packages come from when images are made"],
      ["PIP_INDEX_URL", "PyPI", "where programs come from that are fetched as Python packages"],
    ],
  },
];
