/**
 * The life of a process: start, wait for SIGTERM or SIGINT, dispose, exit.
 * A service that cannot start says why on standard error and exits with 1.
 */
export async function run(start: () => Promise<AsyncDisposable>): Promise<void> {
  try {
    const service = await start();
    await new Promise((resolve) => process.once("SIGTERM", resolve).once("SIGINT", resolve));
    await service[Symbol.asyncDispose]();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
