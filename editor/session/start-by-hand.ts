import type { HandStart } from '../api/hand-runs.ts';
import type { Session } from '../commands/command.ts';
import { afterFirstPicture } from '../ui/first-picture.ts';

const load = () => import('./hand-run.ts');
// Early enough that a run without a server can say so.
afterFirstPicture()
  .then(load)
  .catch(() => undefined);

/** `runByHand`, whose code comes after the first picture. */
export async function startByHand(session: Session, start: HandStart): Promise<void> {
  const { runByHand } = await load();
  await runByHand(session, start);
}
