import { type ClientMiddleware, Metadata } from "nice-grpc";

/** The key that version 0.1.0 uses, so that replicas of both versions can work together. */
export const validateOnlyKey = "ci-refused";

export const isValidateOnly = (metadata: Metadata): boolean => metadata.get(validateOnlyKey) === "true";

/** Asks the service to validate what a stream sends without executing it. */
export const asksToValidate: ClientMiddleware = (call, options) =>
  call.next(call.request, { ...options, metadata: Metadata(options.metadata).set(validateOnlyKey, "true") });
