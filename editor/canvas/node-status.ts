import {
  Ban,
  CircleCheck,
  CircleSlash,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
  RotateCw,
} from 'lucide-react';
import type { NodeRun, NodeStatus } from '../state/run-store.ts';
import type { Tone } from '../ui/Badge.tsx';
import { durationText } from '../ui/format.ts';

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
  skipped: { word: 'Skipped', tone: 'neutral', icon: CircleSlash, frame: 'var(--line)' },
  retrying: { word: 'Retrying', tone: 'warn', icon: RotateCw, frame: 'var(--warn)' },
  abandoned: { word: 'Abandoned', tone: 'warn', icon: Ban, frame: 'var(--warn)' },
};

const SKIP_REASONS: Readonly<Record<string, string>> = {
  'missing-input': 'A required input got nothing.',
  'no-live-input': 'None of its inputs got anything.',
  disabled: 'The node is disabled.',
};

export function statusText(run: NodeRun): string {
  const { word } = statusLooks[run.status];
  if (run.status === 'ok' && run.ms !== undefined) return `${word} ${durationText(run.ms)}`;
  if ((run.status === 'running' || run.status === 'retrying') && run.attempt > 1)
    return `${word} (${run.attempt})`;
  return word;
}

/** The rest of the story, for the tooltip. */
export function statusDetail(run: NodeRun): string {
  const { word } = statusLooks[run.status];
  if (run.skipped !== undefined) return `${word}. ${SKIP_REASONS[run.skipped] ?? run.skipped}`;
  if (run.error) return `${word}. ${run.error.message}`;
  return run.ms === undefined ? word : `${word} after ${durationText(run.ms)}`;
}
