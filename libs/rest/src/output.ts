/** What a record shows of the text that a build or a job has written: the end of it. */
export interface Written {
  readonly output?: string;
  /** Length of the whole text in UTF-8. */
  readonly outputBytes: number;
}

/** The text, begun with a line that says so when it is not all of it; null before the first byte. */
export const outputJson = ({ output, outputBytes }: Written): string | null => {
  if (output === undefined) return null;
  const leftOutBytes = outputBytes - Buffer.byteLength(output);
  return leftOutBytes > 0 ? `-- ${leftOutBytes} bytes left out, see output_url --\n${output}` : output;
};
