/** What a stream beyond the limit is answered. */
export const streamComplaint = (max: number | string): string =>
  `Streams cannot exceed ${max} per user (STREAMS_PER_USER); close one first`;
