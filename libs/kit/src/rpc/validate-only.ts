import { type ClientMiddleware, Metadata } from "nice-grpc";
import { readsOnly } from "./retry.js";

/** As version 0.1.0 calls it, so that replicas of both versions can work together. */
const key = "ci-refused";

export const isValidateOnly = (metadata: Metadata): boolean => metadata.get(key) === "true";

/** Tells the service to validate each call, except reads, without carrying it out. */
export const asksToValidate: ClientMiddleware = (call, options) =>
  call.next(
    call.request,
    readsOnly(call.method.path) ? options : { ...options, metadata: Metadata(options.metadata).set(key, "true") },
  );
