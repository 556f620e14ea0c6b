import { type WaitAsk, waitId } from '#shared/wait.ts';
import type { DurableView } from '../durable/durable-runs.ts';
import type { WaitLinks } from './links.ts';

/** The address, on this server, of the page that a run asks of whoever sent the one before; undefined if it asks none now. */
export async function nextPage(
  { run, waitingFor = [] }: Pick<DurableView, 'run' | 'waitingFor'>,
  links: WaitLinks,
): Promise<string | undefined> {
  const next = waitingFor.find(({ what }) => what.kind === 'answer' && (what.ask as WaitAsk).sender === true);
  if (next === undefined) return undefined;
  const { pathname, search } = new URL(await links.urlOf(waitId(run, next.key)));
  return `${pathname}${search}`;
}
