/** Returns how often other work of this process had a turn until the promise settled. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let done = false;
  const turn = () => {
    turns++;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  await work;
  done = true;
  return turns;
}
