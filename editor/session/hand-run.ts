import { type HandStart, startByHand } from '../api/hand-runs.ts';
import { ApiError } from '../api/client.ts';
import { unaskedWrites } from '../api/partial-runs.ts';
import type { Session } from '../commands/command.ts';
import type { RunLine } from '#shared/api.ts';
import type { HandRun } from '../state/run-store.ts';

/** A stream is redrawn at most once in this time, not for each of its items. */
const SHOW_MS = 50;

const FRESH: Omit<HandRun, 'again'> = {
  run: undefined,
  state: 'starting',
  answer: undefined,
  items: undefined,
  truncated: false,
  refusal: undefined,
};

/**
 * Starts a run by hand and shows its result as it comes. A run of the draft runs what is on the canvas, so that is saved first;
 * what is live stays as it is. Resolves when the run has ended; a failure is part of the result, never thrown.
 */
export async function runByHand(
  session: Session,
  start: HandStart,
  allowed: readonly string[] = [],
): Promise<void> {
  const { runs, ui } = session;
  const again = (): Promise<void> => runByHand(session, start, allowed);
  let current: HandRun = { ...FRESH, again };
  const show = (more: Partial<HandRun>): void => {
    const before = current;
    current = { ...current, ...more };
    // A run that was started later has taken its place.
    if (runs.getState().byHand === before) runs.setState({ byHand: current });
  };
  runs.setState({ byHand: current });
  ui.setState({ dockOpen: true, dockTab: 'result' });
  try {
    if (!(await saved(session, start)))
      return show({ state: 'refused', refusal: { code: 'not_saved', message: NOT_SAVED } });
    runs.setState({ follow: true });
    await follow(startByHand(start, allowed, new AbortController().signal), session, show);
  } catch (error) {
    const nodes = unaskedWrites(error);
    if (nodes === undefined) return show(brokenOff(error, current));
    if (runs.getState().byHand === current) runs.setState({ byHand: undefined });
    const onYes = (): void => void runByHand(session, start, [...allowed, ...nodes]);
    ui.setState({ overlay: { kind: 'writes', nodes, onYes } });
  }
}

const NOT_SAVED = 'The flow could not be saved, so it was not run. Your edits are stored in this browser.';

async function saved({ editor, saver }: Session, start: HandStart): Promise<boolean> {
  const runsDraft = 'fork' in start || start.draft;
  return !runsDraft || editor.getState().saveState === 'saved' || saver.save();
}

function brokenOff(error: unknown, { run }: HandRun): Partial<HandRun> {
  if (run !== undefined) return { state: 'lost' };
  const code = error instanceof ApiError ? error.code : 'internal';
  const message = error instanceof Error ? error.message : String(error);
  return { state: 'refused', refusal: { code, message: code === 'offline' ? OFFLINE : message } };
}

const OFFLINE =
  'The server cannot be reached, so nothing was run. Your edits are stored in this browser until it is back.';

async function follow(
  lines: AsyncIterable<RunLine>,
  { ui }: Session,
  show: (more: Partial<HandRun>) => void,
): Promise<void> {
  const items: unknown[] = [];
  let planned: ReturnType<typeof setTimeout> | undefined;
  const draw = (): void => {
    planned = undefined;
    show({ items: [...items] });
  };
  try {
    for await (const line of lines) {
      if (line.kind === 'item') {
        items.push(line.value);
        planned ??= setTimeout(draw, SHOW_MS);
      } else if (line.kind === 'started') {
        show({ run: line.run.run, state: 'going' });
        ui.setState({ announcement: startedText(line.run) });
      } else if (line.kind === 'answer') show({ answer: line.answer, ...(line.items && { items: [] }) });
      else show({ state: 'ended', truncated: line.truncated ?? false });
    }
  } finally {
    clearTimeout(planned);
    if (items.length > 0) draw();
  }
}

function startedText({ run, decisions }: Extract<RunLine, { kind: 'started' }>['run']): string {
  if (!decisions) return `Run ${run} started`;
  const count = decisions.filter(({ does }) => does === 'run').length;
  return `Run started: ${count} of ${decisions.length} nodes are executed`;
}
