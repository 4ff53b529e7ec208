/** The fields of a build or a job that hold the end of its output. */
interface Written {
  readonly output?: string;
  /** Length of the whole text in UTF-8. */
  readonly outputBytes: number;
}

/** Returns the output; null before the first byte. If its beginning is missing, the first line says how much. */
export const outputJson = ({ output, outputBytes }: Written): string | null => {
  if (output === undefined) return null;
  const leftOutBytes = outputBytes - Buffer.byteLength(output);
  return leftOutBytes > 0 ? `-- ${leftOutBytes} bytes left out, see output_url --\n${output}` : output;
};
