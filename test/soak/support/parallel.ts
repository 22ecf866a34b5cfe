/** Processes each item once, several at a time. */
export async function inParallel<Item, Worker, Result>(
  items: readonly Item[],
  workers: readonly Worker[],
  work: (item: Item, worker: Worker) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  await Promise.all(
    workers.map(async (worker) => {
      for (const [index, item] of queue)
        results[index] = await work(item, worker);
    }),
  );
  return results;
}
