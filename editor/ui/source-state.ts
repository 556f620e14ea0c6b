import { CirclePause, type LucideIcon, Radio, RotateCw, TriangleAlert } from 'lucide-react';
import type { Source } from '#shared/package-api.ts';
import type { Tone } from './Badge.tsx';

interface SourceState {
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly text: string;
}

const STATES = {
  listening: { tone: 'ok', icon: Radio, text: 'Listening' },
  again: { tone: 'busy', icon: RotateCw, text: 'Trying again' },
  failed: { tone: 'bad', icon: TriangleAlert, text: 'Failed' },
  elsewhere: { tone: 'neutral', icon: CirclePause, text: 'Not on this server' },
} as const satisfies Readonly<Record<string, SourceState>>;

/** How a source stands. After a failure it counts as trying again until it has worked once more. */
export function sourceState({ state, problem }: Pick<Source, 'state' | 'problem'>): SourceState {
  return STATES[state === 'listening' && problem ? 'again' : state];
}
