import { pathToFileURL } from "node:url";
import { thisTree } from "./processes.js";
import { receiver } from "./receiver.js";

export interface ReportedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: number; readonly message?: string };
}

export interface Collector extends AsyncDisposable {
  /** Environment variables for processes that report here. */
  readonly settings: Readonly<Record<string, string>>;
  spans(): readonly ReportedSpan[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The JSON of OTLP. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReportedSpan, "service" | "attributes"> & { attributes?: readonly Attribute[] })[];
    }[];
  }[];
}

const plain = (attributes: readonly Attribute[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const spansIn = ({ resourceSpans }: Export): ReportedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)["service.name"]).replace("service-ci-", "");
    return scopeSpans.flatMap(({ spans }) =>
      spans
        .map((span) => ({ ...span, parentSpanId: span.parentSpanId || undefined, service }))
        .map((span) => ({
          ...span,
          attributes: plain(span.attributes),
        })),
    );
  });

/** Starts an OpenTelemetry collector that keeps all spans. */
export async function collector(): Promise<Collector> {
  const http = await receiver();
  return {
    settings: {
      NODE_OPTIONS: `--import ${pathToFileURL(`${thisTree}/deploy/otel/register.mjs`)}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: http.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
    spans: () =>
      http.requests
        .filter(({ path }) => path === "/v1/traces")
        .flatMap(({ body }) => spansIn(JSON.parse(String(body)) as Export)),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}
