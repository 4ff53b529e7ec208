export { type Client, type ClientOptions, createClient, type OutputOptions, type UploadOptions } from "./client.js";
export { ApiError, errorOf, ForeignResponse, mayPass } from "./errors.js";
export { type FollowOptions, pauseAfter, type StreamEvent } from "./follow.js";
export type { components, operations, paths, webhooks } from "./gen/openapi.js";
export { encodeName } from "./paths.js";
export { each, record } from "./records.js";
export { type ServerClock, serverClock } from "./server-clock.js";
export { isTagName } from "./tags.js";
export { InvalidDelivery, verifyDelivery } from "./webhooks.js";
