import type { FlowSummary } from '#shared/api.ts';

/** A flow with which something could not be done, and why. */
export interface Refusal {
  readonly name: string;
  readonly reasons: readonly string[];
}

/** Does something with one flow after the other, and gives those with which it failed. */
export async function eachFlow(
  flows: readonly FlowSummary[],
  work: (flow: FlowSummary) => Promise<unknown>,
): Promise<Refusal[]> {
  const refused: Refusal[] = [];
  for (const flow of flows) {
    try {
      await work(flow);
    } catch (error) {
      refused.push({
        name: flow.name ?? flow.id,
        reasons: [error instanceof Error ? error.message : String(error)],
      });
    }
  }
  return refused;
}
