import type { HandStart } from '../api/hand-runs.ts';
import type { Session } from '../commands/command.ts';

const load = () => import('./hand-run.ts');

/** Call it when there is nothing else to load, so that a run without a server can say so. */
export const preloadHandRuns = (): void => void load().catch(() => undefined);

/** `runByHand`, whose code comes after the first picture. */
export async function startByHand(session: Session, start: HandStart): Promise<void> {
  const { runByHand } = await load();
  await runByHand(session, start);
}
