// Sends traces of a service to an OpenTelemetry collector: NODE_OPTIONS="--import <this file>", configured by OTEL_*.
// Only this file knows the SDK. The services know its API, which does nothing without this file.
import { sep } from "node:path";

/** services/builds/dist/main.js is `builds`. Other programs that inherit NODE_OPTIONS, such as the frequent health checks, load no SDK. */
const [service] = /[^/]+(?=\/dist\/main\.js$)/.exec((process.argv[1] ?? "").split(sep).join("/")) ?? [];
const { env } = process;

if (service) {
  const [{ HttpInstrumentation }, { MongoDBInstrumentation }, { NodeSDK }] = await Promise.all([
    import("@opentelemetry/instrumentation-http"),
    import("@opentelemetry/instrumentation-mongodb"),
    import("@opentelemetry/sdk-node"),
  ]);
  env.OTEL_SERVICE_NAME ??= `service-ci-${service}`;
  // Metrics are read from /metrics, logs from standard output.
  env.OTEL_METRICS_EXPORTER ??= "none";
  env.OTEL_LOGS_EXPORTER ??= "none";
  env.OTEL_NODE_RESOURCE_DETECTORS ??= "env,host";
  const sdk = new NodeSDK({
    instrumentations: [
      new HttpInstrumentation({
        // The query of the callback holds a code, which no trace may keep.
        ignoreIncomingRequestHook: ({ url = "" }) =>
          /^\/(healthz|readyz|metrics)$|\/-\/sign-in\/oidc\/callback\?/.test(url),
        // This would send a header to outside servers. Calls between the services create their own spans.
        disableOutgoingRequestInstrumentation: true,
      }),
      new MongoDBInstrumentation(),
    ],
  });
  sdk.start();
}
