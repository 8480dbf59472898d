import { it } from '@jest/globals';

/**
 * One test of several steps, which run in the order they are added, whatever the order of tests. Each step starts where
 * the previous one ended.
 * @returns a function that adds a step
 */
export function sequentialTest(name: string): (step: string, run: () => Promise<void>) => void {
  const steps: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  // As long as each of its steps could take as a test.
  it(
    name,
    async () => {
      for (const step of steps)
        await step.run().catch((cause: unknown) => {
          throw new Error(`at the step "${step.name}": ${String(cause)}`, { cause });
        });
    },
    1_200_000,
  );
  return (step, run) => {
    steps.push({ name: step, run });
  };
}
