import { type ClientMiddleware, Metadata } from "nice-grpc";
import { readsOnly } from "./retry.js";

/** The key that version 0.1.0 uses, so that replicas of both versions can work together. */
const key = "ci-refused";

export const isValidateOnly = (metadata: Metadata): boolean => metadata.get(key) === "true";

/** Asks the service to validate each call without executing it. Reads are executed. */
export const asksToValidate: ClientMiddleware = (call, options) =>
  call.next(
    call.request,
    readsOnly(call.method.path) ? options : { ...options, metadata: Metadata(options.metadata).set(key, "true") },
  );
