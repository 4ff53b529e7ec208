// Traces of a service, sent to an OpenTelemetry collector: NODE_OPTIONS="--import <this file>", settings by OTEL_*.
// Everything that knows the SDK is here; the services know its API alone, which does nothing without this file.
import { sep } from "node:path";
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { MongoDBInstrumentation } from "@opentelemetry/instrumentation-mongodb";
import { NodeSDK } from "@opentelemetry/sdk-node";

/** services/builds/dist/main.js is `builds`; other programs that inherit NODE_OPTIONS are left alone. */
const [service] = /[^/]+(?=\/dist\/main\.js$)/.exec((process.argv[1] ?? "").split(sep).join("/")) ?? [];
const { env } = process;

if (service) {
  env.OTEL_SERVICE_NAME ??= `service-ci-${service}`;
  // Metrics are read from /metrics, logs from standard output.
  env.OTEL_METRICS_EXPORTER ??= "none";
  env.OTEL_LOGS_EXPORTER ??= "none";
  env.OTEL_NODE_RESOURCE_DETECTORS ??= "env,host";
  const sdk = new NodeSDK({
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url }) => /^\/(healthz|readyz|metrics)$/.test(url ?? ""),
        // It would add a header to what strangers receive. Calls between the services make their spans themselves.
        disableOutgoingRequestInstrumentation: true,
      }),
      new MongoDBInstrumentation(),
    ],
  });
  sdk.start();
}
