/** The response to a stream beyond the limit. */
export const streamComplaint = (max: number | string): string =>
  `Streams cannot exceed ${max} per user (STREAMS_PER_USER); close one first`;
