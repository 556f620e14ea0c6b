import type { Context } from '../context.ts';
import { partsOf } from './wait-store.ts';

/** The flow of a wait whose run has not asked yet, but goes on; undefined where it never will. */
export async function earlyFlow(
  { durable }: Pick<Context, 'durable'>,
  id: string,
): Promise<{ flow: string } | undefined> {
  const run = partsOf(id)?.run;
  const view = run === undefined ? undefined : await durable.get(run);
  return view && view.endedAt === undefined ? { flow: view.flow } : undefined;
}
