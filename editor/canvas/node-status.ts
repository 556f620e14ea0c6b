import {
  Ban,
  CircleCheck,
  CircleSlash,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
  Pencil,
  Pin,
  Recycle,
  RotateCw,
  Unplug,
} from 'lucide-react';
import type { NodeDecision } from '#shared/run-event.ts';
import type { NodeRun, NodeStatus } from '../state/run-store.ts';
import type { Tone } from '../ui/Badge.tsx';
import { countText, durationText } from '../ui/format.ts';

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: LucideIcon;
  /** The frame of the node, as a colour token. */
  readonly frame: string;
}

export const statusLooks: Readonly<Record<NodeStatus, Look>> = {
  waiting: { word: 'Waiting', tone: 'neutral', icon: Clock, frame: 'var(--line-strong)' },
  running: { word: 'Running', tone: 'busy', icon: LoaderCircle, frame: 'var(--busy)' },
  ok: { word: 'OK', tone: 'ok', icon: CircleCheck, frame: 'var(--ok)' },
  failed: { word: 'Failed', tone: 'bad', icon: CircleX, frame: 'var(--bad)' },
  cancelled: { word: 'Cancelled', tone: 'neutral', icon: Ban, frame: 'var(--line-strong)' },
  skipped: { word: 'Skipped', tone: 'neutral', icon: CircleSlash, frame: 'var(--line)' },
  retrying: { word: 'Retrying', tone: 'warn', icon: RotateCw, frame: 'var(--warn)' },
  abandoned: { word: 'Abandoned', tone: 'warn', icon: Unplug, frame: 'var(--warn)' },
};

/** The look of nodes that a run did not execute, though it could have. */
const STAND_INS: Readonly<Record<Exclude<NodeDecision['does'], 'run'>, Pick<Look, 'word' | 'icon'>>> = {
  reused: { word: 'Reused', icon: Recycle },
  pinned: { word: 'Pinned', icon: Pin },
  changed: { word: 'Changed', icon: Pencil },
  'left-out': { word: 'Left out', icon: CircleSlash },
};

/** The look of a node that was not executed, by the run's decision; undefined for one that was. */
export function standInLook(decision: NodeDecision | undefined): Look | undefined {
  if (decision === undefined || decision.does === 'run') return undefined;
  return { ...STAND_INS[decision.does], tone: 'neutral', frame: 'var(--line-strong)' };
}

const SKIP_REASONS: Readonly<Record<string, string>> = {
  'missing-input': 'A required input got nothing.',
  'no-live-input': 'None of its inputs got anything.',
  disabled: 'The node is disabled.',
  'left-out': 'It was left out of this run.',
  'not-needed': 'It was not needed: an earlier way brought a value.',
};

/** The status in a few words; `now` in Unix milliseconds gives the running time so far. */
export function statusText(run: NodeRun, now: number): string {
  const { word } = statusLooks[run.status];
  if (run.status === 'ok' && run.ms !== undefined) return `${word} ${durationText(run.ms)}`;
  if (run.status !== 'running' && run.status !== 'retrying') return word;
  return [word, run.attempt > 1 && `(${run.attempt})`, elapsedText(run, now)].filter(Boolean).join(' ');
}

/** `3 items`: what its streams carried, or the length of the list that it gave. */
export function itemsText({ counts, outputs }: Pick<NodeRun, 'counts' | 'outputs'>): string {
  const streamed = Object.values(counts);
  if (streamed.length > 0)
    return countText(
      streamed.reduce((sum, n) => sum + n, 0),
      'item',
    );
  const lists = Object.values(outputs).filter(Array.isArray);
  return lists.length === 1 ? countText(lists[0]?.length ?? 0, 'item') : '';
}

/** How long a node has been running, in whole seconds; empty within the first. */
export function elapsedText({ status, startedAt }: NodeRun, now: number): string {
  if (status !== 'running' || startedAt === undefined || now - startedAt < 1000) return '';
  return durationText(Math.floor((now - startedAt) / 1000) * 1000);
}

/** The details, for the tooltip. */
export function statusDetail(run: NodeRun): string {
  const { word } = statusLooks[run.status];
  if (run.skipped !== undefined) return `${word}. ${SKIP_REASONS[run.skipped] ?? run.skipped}`;
  if (run.error) return `${word}. ${run.error.message}`;
  return run.ms === undefined ? word : `${word} after ${durationText(run.ms)}`;
}
